import { readdir, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Core } from '../core/core.ts'
import { countRows, sweepOutdated } from '../core/db/sweep.ts'
import type { Retention } from '../core/retention.ts'
import { daySeconds } from '../core/time.ts'
import { partialSuffix } from './file/write.ts'
import { chooseOutdated, type Keep } from './rules/schedule.ts'
import * as store from './store/backups.ts'

/** How long the database keeps the rows about deleted backups, in seconds. */
const rememberSeconds = 400 * daySeconds

/**
 * Deletes old backups if newer good ones exist, and files that have been unfinished for a day. It only deletes files that this instance
 * has made in its directory, and never the newest backup. If the directory does not exist, the files are on another node.
 */
export const createBackupRetention = (
  { db, transact, clock }: Pick<Core, 'db' | 'transact' | 'clock'>,
  directory: string,
  keep: Keep,
): Retention => {
  const outdatedBackups = async () => {
    const own = (await store.listKept(db)).filter(({ file }) => file !== null && dirname(file) === resolve(directory))
    return chooseOutdated(own, keep, clock.now())
  }
  const unfinished = async (names: readonly string[]): Promise<readonly string[]> => {
    const dayAgo = clock.after(-daySeconds)
    const old: string[] = []
    for (const name of names) {
      if (!name.startsWith('.gatehouse-') || !name.endsWith(partialSuffix)) continue
      const path = join(directory, name)
      const found = await stat(path).catch(() => undefined)
      if (found !== undefined && found.mtime < dayAgo) old.push(path)
    }
    return old
  }
  const namesThere = () => readdir(directory).catch(() => undefined)
  const forgotten = () => store.settledBefore(clock.after(-rememberSeconds))
  return {
    name: 'backups',
    which: 'that backup.keep does not keep, and unfinished ones from more than a day ago',
    count: async () => {
      const names = await namesThere()
      const files = names === undefined ? 0 : (await outdatedBackups()).length + (await unfinished(names)).length
      return files + (await countRows(db, forgotten()))
    },
    sweep: async (stop) => {
      const names = await namesThere()
      let deleted = 0
      if (names !== undefined) {
        for (const { id, file } of await outdatedBackups()) {
          if (file !== null) await rm(file, { force: true })
          if (await transact((tx) => store.setDeleted(tx, id))) deleted += 1
        }
        for (const path of await unfinished(names)) {
          await rm(path, { force: true })
          deleted += 1
        }
      }
      return deleted + (await sweepOutdated(db, transact, forgotten(), stop))
    },
  }
}
