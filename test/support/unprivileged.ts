/** Runs code as a user with limited access to files. The superuser may read and write everything. */
import { chmodSync } from 'node:fs'

const nobody = 65534

/** False if this process cannot become another user. Tests that need this are then skipped. */
export const canBeUnprivileged = process.getuid?.() !== 0 || process.seteuid !== undefined

/**
 * Runs the work as `nobody` if this process runs as the superuser, and otherwise as the present user. `directory` is made readable for
 * the work.
 */
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
