/**
 * Loads the files of a bundle with code that V8 has compiled before (V8 calls this a code cache). `bin/bundle.ts` copies this file into
 * each bundle, as `main.js`. Node's own cache for modules is not used, because it keeps its copy in memory as long as the process runs, and
 * contains none of the functions that a start compiles when it calls them.
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

/** The ending of the files with code. V8 refuses code of another version or of other flags, so each combination has its own files. */
const { version, arch, execArgv, env } = process
const ending = crc32([version, arch, ...execArgv, env['NODE_OPTIONS']].join('\n')).toString(16)

/**
 * The directories for code: that of the bundle, and a directory for temporary files, which is used if this process may not write to the
 * first one. Code is run, so no other user may be able to write to the second directory.
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

/** Calls `work` with each directory until it succeeds, and returns its result. */
const inDirectory = (work) => {
  for (const directoryOf of directories)
    try {
      return work(directoryOf())
    } catch {
      // The file is missing or damaged, or the directory is not writable. The program is compiled then.
    }
  return undefined
}

/** The stored code of a file. Its last four bytes are a checksum of the source and the code. V8 itself compares only their lengths. */
const readCode = (name, source) =>
  inDirectory((directory) => {
    const stored = readFileSync(join(directory, `${name}.${ending}.code`))
    const code = stored.subarray(0, -4)
    if (crc32(code, crc32(source)) !== stored.readUInt32LE(code.length)) throw new Error('not of this source')
    return code
  })

const modules = new Map()
/** Loaded files whose code has not been stored yet. */
let compiled = []

const load = (name) => {
  const known = modules.get(name)
  if (known !== undefined) return known.exports
  const path = join(bundle, name)
  const source = readFileSync(path)
  const cachedData = readCode(name, source)
  // Each file contains one function expression, in ASCII.
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

/** Stores the code of the compiled files for later processes. It contains the functions that have been called until now. */
const store = () => {
  for (const { name, script, checksum } of compiled)
    inDirectory((directory) => {
      const code = script.createCachedData()
      const end = Buffer.alloc(4)
      end.writeUInt32LE(crc32(code, checksum))
      const file = join(directory, `${name}.${ending}.code`)
      const draft = `${file}.${process.pid}`
      writeFileSync(draft, Buffer.concat([code, end]))
      // The umask of a daemon lets nobody else read. Every user who can run the bundle may read its code. The other directory is closed.
      chmodSync(draft, 0o644)
      renameSync(draft, file)
    })
  compiled = []
}

/** Runs the program. A daemon stores its code when it announces the end of its start, and a command when it ends. */
export const main = async (...args) => {
  subscribe('gatehouse:started', store)
  try {
    return await load('program.js').main(...args)
  } finally {
    store()
  }
}
