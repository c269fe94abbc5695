import { expect, test } from 'vitest'
import { z } from 'zod'
import { compose, configSchema } from '../../src/composition.ts'
import { systemClock } from '../../src/core/clock.ts'
import { loadConfig } from '../../src/core/config.ts'
import { defineEvents, type EventType } from '../../src/core/events/types.ts'
import { createLog } from '../../src/core/log.ts'
import { systemRandom } from '../../src/core/random.ts'

const { events } = compose(
  loadConfig(configSchema, {
    env: {},
    flags: { databaseUrl: 'postgres://localhost/none', secret: ['7c9e6679-7425-40de-944b-e07fc1f90ae7'] },
  }),
  { clock: systemClock, random: systemRandom, log: createLog('silent') },
)

/** Parts of names of values that must not be stored where every auditor can read them. */
const secret = /password|token|secret|hash|cookie|code$|verifier|email|address|credential|privatekey/i

/** Every key of the data, also inside lists and objects. */
const keysOf = (schema: unknown): readonly string[] => {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties = {}, ...rest } = schema as { properties?: object }
  return [...Object.keys(properties), ...[...Object.values(properties), ...Object.values(rest)].flatMap(keysOf)]
}
const suspicious = ({ data }: EventType) =>
  keysOf(z.toJSONSchema(data, { io: 'input', unrepresentable: 'any' })).filter((key) => secret.test(key))

test('no event type declares a field for a secret, a token, a hash or an email address', () => {
  expect([...events.types.values()].flatMap((type) => suspicious(type).map((key) => `${type.name}: ${key}`))).toEqual([])
})

test("the check finds a field for a secret at any depth of an event's data", () => {
  const { 'a.b': type } = defineEvents({
    'a.b': {
      ...{ summary: 'Found.', subject: 'user' },
      data: z.object({
        list: z.array(z.object({ refreshToken: z.string() })),
        passwordHash: z.string().optional(),
        role: z.string(),
      }),
    },
  })
  expect(suspicious(type).toSorted()).toEqual(['passwordHash', 'refreshToken'])
})

test('every event type has a sentence as its description and a name of subject and verb', () => {
  for (const { name, summary } of events.types.values()) {
    expect(name).toMatch(/^[a-z_]+\.[a-z_]+$/)
    expect(summary).toMatch(/^[A-Z].*\.$/)
  }
})
