import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createChain } from '../../src/core/events/chain.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { eventsOf, noteEvents, sealAll, writeNote } from '../support/events.ts'
import { runs } from '../support/runs.ts'

let nodes: readonly [TestApp, TestApp]
beforeAll(async () => {
  const first = await testApp()
  nodes = [first, await first.node()]
  for (const { app } of nodes) {
    await app.jobs.stop()
    app.events.register({ events: noteEvents })
  }
})
afterAll(async () => {
  await nodes[1].stop()
  await nodes[0].stop()
})

const node = fc.constantFrom(0 as const, 1 as const)
const step = fc.oneof(
  fc.record({ what: fc.constant('write' as const), node, count: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ what: fc.constant('roll back' as const), node }),
  fc.record({ what: fc.constant('seal' as const), node }),
  fc.record({ what: fc.constant('delete old' as const), node }),
)
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

let written = 0
const nextNote = () => {
  written += 1
  return `p${written}`
}
const take = async (taken: Step): Promise<void> => {
  const { app } = nodes[taken.node]
  switch (taken.what) {
    case 'write':
      return app.core.transact(async (tx) => {
        for (let n = 0; n < taken.count; n += 1) await writeNote(app, tx, nextNote())
      })
    case 'roll back':
      return app.core
        .transact(async (tx) => {
          await writeNote(app, tx, nextNote())
          throw new Error('rolled back')
        })
        .catch(() => undefined)
    case 'seal':
      return void (await createChain(app.core).seal())
    case 'delete old':
      return void (await createChain(app.core).deleteBefore(app.core.clock.after(-3_600)))
  }
}

test('any simultaneous order of writes, rollbacks, sealing and deletions on two nodes leaves an event chain that verifies', async () => {
  const [one] = nodes
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }), async (rounds) => {
      for (const steps of rounds) {
        await Promise.all(steps.map(take))
        expect((await one.app.audit.verify()).faults).toEqual([])
        one.clock.advance({ minutes: 20 })
      }
      await sealAll(one)
      const { from, to, unsealed, faults } = await one.app.audit.verify()
      expect({ unsealed, faults }).toEqual({ unsealed: 0, faults: [] })
      const positions = (await eventsOf(one)).map(({ position }) => position)
      expect(positions).toEqual(Array.from({ length: to - from + 1 }, (_, n) => from + n))
    }),
    { numRuns: runs },
  )
}, 120_000)
