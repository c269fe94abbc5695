/**
 * Builds the daemon and its commands into a few files: resolving and loading more than a thousand modules is most of what a start takes.
 * `npm run build:server` and, in a checkout whose sources have changed, the launcher run it.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Plugin, rolldown } from 'rolldown'
import { digestOfSources, root } from './sources.js'

/** Compiled code cannot be bundled. The rest are drivers that knex and pg name and gatehouse never opens. */
const external = ['sqlite3', 'argon2', 'sharp', 'pg-native', /^(libsql|pg-query-stream)$/]

/** A bundle whose place another one took is kept for a day from then on, for daemons that still load parts of it. */
const keptMs = 24 * 60 * 60 * 1000

const removeOld = (output: string, current: string) => {
  if (!existsSync(output)) return
  for (const entry of readdirSync(output, { withFileTypes: true })) {
    if (!entry.isDirectory() || entry.name === current) continue
    const path = join(output, entry.name)
    // A draft, of which a process may still make a bundle, or has died.
    const since = entry.name.includes('.') ? path : join(path, 'superseded')
    if (!existsSync(since)) writeFileSync(since, '')
    else if (Date.now() - statSync(since).mtimeMs > keptMs) rmSync(path, { recursive: true, force: true })
  }
}

/**
 * An `import` of Node's HTTP module reads all that the module has, its WebSocket too, for which Node loads an HTTP client: 74 modules and 50 ms
 * of processor time. Asked for like this, it reads none until it is used.
 */
const lazyHttp: Plugin = {
  name: 'lazy-http',
  resolveId: (source, _importer, { kind }) =>
    /^(node:)?http$/.test(source) && kind === 'import-statement' ? { id: '\0http', moduleSideEffects: false } : null,
  load: (id) => (id === '\0http' ? "module.exports = process.getBuiltinModule('node:http')" : null),
}

/** knex looks for a database's dialect by a name here; gatehouse passes it the two that it uses. */
const withoutDialects: Plugin = {
  name: 'without-dialects',
  load: (id) => (/\/knex\/lib\/dialects\/index\.js$/.test(id) ? 'exports.getDialectByNameOrAlias = () => undefined' : null),
}

/** Of Express, gatehouse uses the router alone. Its parsers of bodies hold 600 kB of encodings, which nothing calls. */
const onlyRouterOfExpress: Plugin = {
  name: 'only-router-of-express',
  load: (id) => (/\/express\/lib\/express\.js$/.test(id) ? "exports.Router = require('router')" : null),
}

/**
 * zod gives each schema, of which a start makes nine thousand, a set of the names of its kind. Schemas of one kind share one here, which nothing changes
 * once a schema is made: 2 MB.
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

/** Code points beyond ASCII by their escapes: all of them are in texts and patterns, where an escape says the same. */
const inAscii = (code: string): string =>
  code.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Sources are named by the map and not repeated in it. The line of `asFunction` is before all others. */
const mapOf = (text: string): string => {
  const { sourcesContent: _, mappings, ...map } = JSON.parse(text)
  return JSON.stringify({ ...map, mappings: `;${mappings}` })
}

/** `bin/loader.js` runs a file as a function, with these arguments; in strict mode, as the modules that it is made from. */
const asFunction = (code: string): string => `(function (exports, require, module, __filename) { 'use strict'\n${code}\n})\n`

/**
 * Node keeps the text of a program in memory, with two bytes for each character as soon as one of a file is beyond ASCII. The bundler writes
 * such characters as they are, also where the source has an escape: so this comes after it.
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
    // knex asks for a feature of its own by `eval`, once.
    checks: { eval: false },
    // Texts of mails: a daemon goes on with its own when another bundle has taken the place of this one.
    experimental: { resolveNewUrlToAsset: true },
    plugins: [lazyHttp, withoutDialects, onlyRouterOfExpress, sharedTraits],
  })
  await bundle.write({
    dir: directory,
    format: 'cjs',
    // `import()` in a script is an experiment of Node, which says so on standard error.
    dynamicImportInCjs: false,
    sourcemap: true,
    // The OpenID Provider stores the names of its classes.
    keepNames: true,
    // Without comments, white space and the names of local variables, a third less of text; functions keep theirs, for stack traces, and the map has the lines.
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
    // Another process was as fast, with the same outcome.
    rmSync(draft, { recursive: true, force: true })
    if (!existsSync(directory)) throw error
  }
}
// Where the launcher of an image or a package, which have no sources, finds it.
writeFileSync(join(output, 'gatehouse.js'), `export { main } from './${digest}/main.js'\n`)
