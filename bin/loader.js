/**
 * Loads the files of a bundle with the code that V8 has compiled for them before: its "code cache". `bin/bundle.ts` copies this file into each bundle,
 * as `main.js`. Node's own cache for modules keeps its copy in memory as long as the process runs, and holds none of the functions that a start
 * compiles when it calls them.
 */
import { subscribe } from 'node:diagnostics_channel'
import { chmodSync, lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'

const bundle = fileURLToPath(new URL('.', import.meta.url))
const requireModule = createRequire(import.meta.url)

/** Code belongs to a version of V8 and its flags, and V8 refuses other code. Each combination has files of its own. */
const { version, arch, execArgv, env } = process
const ending = crc32([version, arch, ...execArgv, env['NODE_OPTIONS']].join('\n')).toString(16)

/**
 * Directories of the code: the bundle's, and where this process may not write to that, one in the system's for temporary files. Code is run, so the
 * latter must belong to this user alone.
 */
const directories = [() => bundle]
if (process.getuid !== undefined)
  directories.push(() => {
    const own = join(tmpdir(), `gatehouse-${process.getuid()}`)
    mkdirSync(own, { recursive: true, mode: 0o700 })
    const state = lstatSync(own)
    if (!state.isDirectory() || state.uid !== process.getuid() || (state.mode & 0o077) !== 0)
      throw new Error(`${own} is open to others`)
    const directory = join(own, basename(bundle))
    mkdirSync(directory, { recursive: true })
    return directory
  })

/** The result in the first directory where `work` succeeds. */
const inDirectory = (work) => {
  for (const directoryOf of directories)
    try {
      return work(directoryOf())
    } catch {
      // Not there, not writable, or written by a process that was killed: the program is compiled as without the code.
    }
  return undefined
}

/** The stored code of a file. Its last four bytes are a checksum of source and code, which V8 does not check. */
const readCode = (name, source) =>
  inDirectory((directory) => {
    const stored = readFileSync(join(directory, `${name}.${ending}.code`))
    const code = stored.subarray(0, -4)
    if (crc32(code, crc32(source)) !== stored.readUInt32LE(code.length)) throw new Error('not of this source')
    return code
  })

const modules = new Map()
/** Loaded files whose code is not stored yet. */
let compiled = []

const load = (name) => {
  const known = modules.get(name)
  if (known !== undefined) return known.exports
  const path = join(bundle, name)
  const source = readFileSync(path)
  const cachedData = readCode(name, source)
  // Each file is one function expression of ASCII alone.
  const script = new Script(source.toString('latin1'), {
    filename: pathToFileURL(path).href,
    cachedData,
  })
  if (cachedData === undefined || script.cachedDataRejected) compiled.push({ name, script, checksum: crc32(source) })
  const module = { exports: {} }
  modules.set(name, module)
  const requireHere = (id) => (id.startsWith('./') ? load(id.slice(2)) : requireModule(id))
  script.runInThisContext()(module.exports, requireHere, module, path)
  return module.exports
}

/** Stores the code of what was compiled, with the functions that were called until now, for later processes. */
const store = () => {
  for (const { name, script, checksum } of compiled)
    inDirectory((directory) => {
      const code = script.createCachedData()
      const end = Buffer.alloc(4)
      end.writeUInt32LE(crc32(code, checksum))
      const file = join(directory, `${name}.${ending}.code`)
      const draft = `${file}.${process.pid}`
      writeFileSync(draft, Buffer.concat([code, end]))
      // The program's umask lets nobody else read. Who may run the bundle may read its code; the other directory is closed to others.
      chmodSync(draft, 0o644)
      renameSync(draft, file)
    })
  compiled = []
}

/** The program. A daemon says when its start is done; all else has called its functions when it ends. */
export const main = async (...args) => {
  subscribe('gatehouse:started', store)
  try {
    return await load('program.js').main(...args)
  } finally {
    store()
  }
}
