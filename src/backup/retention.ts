import { readdir, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Core } from '../core/core.ts'
import { daySeconds } from '../core/time.ts'
import { partialSuffix } from './file/write.ts'
import { chooseOutdated, type Keep } from './rules/schedule.ts'
import * as store from './store/backups.ts'

/** How long the database remembers backups whose files are gone. */
const rememberSeconds = 400 * daySeconds

/**
 * Deletes what a newer good backup makes superfluous: only files in the directory that this instance has made there, never the newest, and
 * what a node left unfinished a day ago.
 */
export const deleteOutdated = async (
  { db, transact, clock }: Pick<Core, 'db' | 'transact' | 'clock'>,
  directory: string,
  keep: Keep,
): Promise<void> => {
  const own = (await store.listKept(db)).filter(({ file }) => file !== null && dirname(file) === resolve(directory))
  for (const { id, file } of chooseOutdated(own, keep, clock.now())) {
    if (file !== null) await rm(file, { force: true })
    await transact((tx) => store.setDeleted(tx, id))
  }
  const dayAgo = clock.after(-daySeconds)
  for (const name of await readdir(directory)) {
    if (!name.startsWith('.gatehouse-') || !name.endsWith(partialSuffix)) continue
    const path = join(directory, name)
    const found = await stat(path).catch(() => undefined)
    if (found !== undefined && found.mtime < dayAgo) await rm(path, { force: true })
  }
  await transact((tx) => store.deleteSettled(tx, clock.after(-rememberSeconds)))
}
