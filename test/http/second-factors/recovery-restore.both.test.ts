import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase } from '../../../src/core/db/database.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { type BackupDirectory, backUp, createBackupDirectory, restore } from '../../support/backup.ts'
import { slow } from '../../support/binary.ts'
import { createMigratedDatabase } from '../../support/database.ts'

let directory: BackupDirectory
let t: TestApp
beforeAll(async () => {
  directory = createBackupDirectory()
  t = await testApp()
})
afterAll(async () => {
  await t.stop()
  directory.remove()
})

test(
  'restoring a backup ends every recovery wait, even an elapsed wait, because the owner may have stopped it since the backup',
  slow,
  async () => {
    const now = Date.now()
    const day = 86_400_000
    const at = (days: number) => new Date(now + days * day)
    for (const [stage, endsAt] of [
      ['halfway', null],
      ['ready', at(6)],
      ['requested', at(-0.5)],
    ] as const) {
      await t.signedIn(`${stage}@example.com`)
      const { id } = await t.app.users.require(t.app.core.db, `${stage}@example.com`)
      await t.app.core.db.knex('second_factor_recovery').insert({
        ...{ id: stage, user_id: id, stage, requester: 'Firefox', requested_at: at(-5), ready_at: at(-1), ends_at: endsAt },
        code_attempts: 0,
      })
    }
    const file = directory.file('waits.jsonl.gz')
    await backUp(t.database, file)
    const target = await createMigratedDatabase()
    try {
      const restored = await restore(target, file)
      expect([restored.exitCode, restored.stderr]).toEqual([0, ''])
      expect(restored.json()).toMatchObject({ held: { 'waits for the removal of second factors (ended)': 2 } })
      const opened = openDatabase({ ...target, poolMax: 1, synchronous: 'NORMAL' })
      expect(await opened.db.knex('second_factor_recovery').pluck('id')).toEqual(['requested'])
      await opened.destroy()
    } finally {
      await target.drop()
    }
  },
)
