/** Runs code as a user whom the system refuses files: the superuser may read and write everything. */
import { chmodSync } from 'node:fs'

const nobody = 65534

/** False where this process can become no other user: tests that need it are skipped by name. */
export const canBeUnprivileged = process.getuid?.() !== 0 || process.seteuid !== undefined

/** Does the work as `nobody` where this process is the superuser's, else as who it is. `directory` is opened for it. */
export const unprivileged = async <T>(directory: string, work: () => Promise<T>): Promise<T> => {
  chmodSync(directory, 0o755)
  if (process.getuid?.() !== 0) return work()
  process.seteuid?.(nobody)
  try {
    return await work()
  } finally {
    process.seteuid?.(0)
  }
}
