/**
 * Builds the daemon and its commands into a few files, because resolving and loading more than a thousand modules takes most of the time
 * of a start. `npm run build:server` runs it. In a checkout whose sources have changed, the launcher runs it, too.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { digestOfSources, root } from './sources.js'

/** These packages are not bundled: the first three contain compiled code, and knex and pg name the others, which gatehouse never opens. */
const external = ['sqlite3', 'argon2', 'sharp', 'pg-native', /^(libsql|pg-query-stream)$/]

/** How long an old bundle stays after another one has replaced it. Daemons may still load parts of it. */
const keptMs = 24 * 60 * 60 * 1000

const removeOld = (output: string, current: string) => {
  if (!existsSync(output)) return
  for (const entry of readdirSync(output, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name === current) continue
    const path = join(output, entry.name)
    // A name with a dot is a draft. A process may still be working on it, or that process has died.
    const since = entry.name.includes('.') ? path : join(path, 'superseded')
    if (!existsSync(since)) writeFileSync(since, '')
    else if (Date.now() - statSync(since).mtimeMs > keptMs) rmSync(path, { recursive: true, force: true })
  }
}

/**
 * An `import` of Node's HTTP module reads everything in the module, including its WebSocket, for which Node loads an HTTP client. That
 * takes 74 modules and 50 ms of processor time. With this plugin, nothing is read until it is used.
 */
const lazyHttp: Plugin = {
  name: 'lazy-http',
  resolveId: (source, _importer, { kind }) =>
    /^(node:)?http$/.test(source) && kind === 'import-statement' ? { id: '\0http', moduleSideEffects: false } : null,
  load: (id) => (id === '\0http' ? "module.exports = process.getBuiltinModule('node:http')" : null),
}

/**
 * knex finds the dialect of a database by its name in this module. Gatehouse passes knex the two dialects that it uses, so the module can
 * be empty.
 */
const withoutDialects: Plugin = {
  name: 'without-dialects',
  load: (id) => (/\/knex\/lib\/dialects\/index\.js$/.test(id) ? 'exports.getDialectByNameOrAlias = () => undefined' : null),
}

/** Gatehouse uses only the router of Express. Express's parsers of bodies would add 600 kB of encodings that nothing calls. */
const onlyRouterOfExpress: Plugin = {
  name: 'only-router-of-express',
  load: (id) => (/\/express\/lib\/express\.js$/.test(id) ? "exports.Router = require('router')" : null),
}

/**
 * zod gives each schema a set with the names of its kind, and a start creates nine thousand schemas. Nothing changes the set of a schema
 * that has been created. This plugin makes all schemas of one kind share one set, which saves 2 MB.
 */
const sharedTraits: Plugin = {
  name: 'shared-traits',
  load: (id) => {
    if (!/\/zod\/v4\/core\/core\.js$/.test(id)) return null
    const parts = {
      'this.traits = new Set();': 'this.traits = noTraits;',
      'inst._zod.traits.add(name);': 'inst._zod.traits = withTrait(inst._zod.traits, name);',
    }
    const shared = `const noTraits = new Set();
const followers = new Map([[noTraits, new Map()]]);
const withTrait = (traits, name) => {
  const known = followers.get(traits).get(name);
  if (known !== undefined) return known;
  const added = new Set(traits).add(name);
  followers.set(added, new Map());
  followers.get(traits).set(name, added);
  return added;
};\n`
    return Object.entries(parts).reduce(
      (code, [part, instead]) => {
        if (!code.includes(part)) throw new Error(`zod has no "${part}" any more`)
        return code.replace(part, instead)
      },
      `${readFileSync(id, 'utf8')}\n${shared}`,
    )
  },
}

/**
 * Code of oidc-provider that makes every request expensive, and its replacement. V8 allocates an accessor of an object in old memory. There it keeps the
 * request, and all that the request holds, until old memory is collected. An error records the stack when it is created; the library creates three
 * errors for each valid access token.
 */
const costly: readonly { readonly file: RegExp; readonly text: RegExp; readonly instead: string }[] = [
  {
    file: /\/oidc-provider\/lib\/helpers\/initialize_app\.js$/,
    text: /let oidcCtx;\s+Object\.defineProperty\(ctx, 'oidc', \{\s+get: \(\) => \{\s+oidcCtx \|\|= (new this\.OIDCContext\(ctx\));\s+return oidcCtx;\s+\},\s+\}\);/g,
    instead: 'ctx.oidc = $1;',
  },
  {
    file: /\/oidc-provider\/lib\/shared\/access_token\.js$/,
    text: /ctx\.assert\((\w+), (new InvalidToken\('[^']+'\))\);/g,
    instead: 'if (!$1) throw $2;',
  },
]
const withoutCosts: Plugin = {
  name: 'without-costs',
  load: (id) => {
    const found = costly.find(({ file }) => file.test(id))
    if (found === undefined) return null
    const code = readFileSync(id, 'utf8')
    // The number of lines stays the same, for stack traces.
    const changed = code.replace(
      found.text,
      (text) => text.replace(found.text, found.instead) + '\n'.repeat(text.split('\n').length - 1),
    )
    if (changed === code) throw new Error(`${id} has changed: no text matches ${found.text} any more`)
    return changed
  },
}

/** Replaces characters beyond ASCII by escapes. They occur only in texts and patterns, where an escape means the same. */
const inAscii = (code: string): string =>
  code.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Removes the sources from a source map, which also names their files, and counts the line that `asFunction` puts before all others. */
const mapOf = (text: string): string => {
  const { sourcesContent: _, mappings, ...map } = JSON.parse(text)
  return JSON.stringify({ ...map, mappings: `;${mappings}` })
}

/** Makes a function of a file, which `bin/loader.js` calls. The modules of the file were in strict mode, so the function is, too. */
const asFunction = (code: string): string => `(function (exports, require, module, __filename) { 'use strict'\n${code}\n})\n`

/**
 * Node keeps the text of a program in memory. If a single character of a file is beyond ASCII, every character takes two bytes. The
 * bundler writes such characters as they are, even where the source has an escape, so they are replaced after it has run.
 */
const rewriteFiles = (directory: string): void => {
  for (const file of readdirSync(directory)) {
    const path = join(directory, file)
    const text = readFileSync(path, 'utf8')
    if (file.endsWith('.map')) writeFileSync(path, mapOf(text))
    else writeFileSync(path, file.endsWith('.js') ? asFunction(inAscii(text)) : inAscii(text))
  }
}

const write = async (directory: string): Promise<void> => {
  const bundle = await rolldown({
    cwd: root,
    input: { program: 'src/main.ts' },
    platform: 'node',
    external,
    // knex uses `eval` once, to find out what the JavaScript engine supports.
    checks: { eval: false },
    // Makes copies of the files with texts of mails, so that a daemon keeps its own texts when another bundle replaces this one.
    experimental: { resolveNewUrlToAsset: true },
    plugins: [lazyHttp, withoutDialects, onlyRouterOfExpress, withoutCosts, sharedTraits],
  })
  await bundle.write({
    dir: directory,
    format: 'cjs',
    // Node warns on standard error of `import()` in a script, because it is experimental.
    dynamicImportInCjs: false,
    sourcemap: true,
    // The OpenID Provider stores the names of its classes, so they must not change.
    keepNames: true,
    // Removes comments, white space and the names of local variables, which saves a third of the text. Functions keep their names, for
    // stack traces, and the map has the lines.
    minify: { compress: false, mangle: { toplevel: false, keepNames: true }, codegen: { removeWhitespace: true } },
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    assetFileNames: '[name]-[hash][extname]',
  })
  await bundle.close()
  rewriteFiles(directory)
  copyFileSync(join(root, 'bin/loader.js'), join(directory, 'main.js'))
}

const output = resolve(process.argv[2] ?? join(root, 'dist'))
const digest = digestOfSources()
const directory = join(output, digest)
if (!existsSync(directory)) {
  const draft = `${directory}.${process.pid}`
  await write(draft)
  removeOld(output, digest)
  try {
    renameSync(draft, directory)
  } catch (error) {
    // Another process has built the same bundle in the meantime.
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(directory)) throw error
  }
}
// The launcher of an image or package finds the bundle by this file, because it has no sources from which to make the digest.
writeFileSync(join(output, 'gatehouse.js'), `export { main } from './${digest}/main.js'\n`)
