import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { configSchema } from '../../src/composition.ts'
import { type ConfigError, loadConfig } from '../../src/core/config.ts'
import { temporaryDirectory } from '../support/directory.ts'

const directory = temporaryDirectory()
const fileOf = (text: string) => {
  const file = join(directory, 'file')
  writeFileSync(file, text)
  return file
}

const good = 'polar_whs_ovyN6cPrTv56AApvzCaJno08SSmGJmgbWilb33N2JuK'
const other = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const load = (env: Record<string, string>, billing?: object) =>
  loadConfig(configSchema, { env, flags: billing === undefined ? {} : { billing } }).billing
const problems = (env: Record<string, string>, billing?: object): readonly string[] => {
  try {
    load(env, billing)
    return []
  } catch (error) {
    return (error as ConfigError).problems
  }
}

test('without a secret the configured webhook endpoint does not exist', () => {
  expect(load({}).secrets).toBeUndefined()
})

test('one or several billing secrets, newest first, are read from the variable or a file', () => {
  expect(load({ GATEHOUSE_WEBHOOK_SECRET: good }).secrets).toEqual([good])
  expect(load({ GATEHOUSE_WEBHOOK_SECRET: `${other}, ${good}` }).secrets).toEqual([other, good])
  // An empty variable is treated as missing.
  expect(load({ GATEHOUSE_WEBHOOK_SECRET: '' })).toEqual(load({}))
  expect(load({ GATEHOUSE_WEBHOOK_SECRET_FILE: fileOf(`${other}\n${good}\n`) }).secrets).toEqual([other, good])
})

test.each([
  [{ GATEHOUSE_WEBHOOK_SECRET: 'whsec_' }, undefined, "billing.secrets.0: Secret can't be empty."],
  [
    { GATEHOUSE_WEBHOOK_SECRET: `${good},short-and-secret` },
    undefined,
    'billing.secrets.1: Secret too short: it has 16 bytes and needs at least 24',
  ],
  [{}, { secrets: [good, ''] }, "billing.secrets.1: Secret can't be empty."],
  [{}, { secrets: [42] }, 'billing.secrets.0: Expected secret to be of type string'],
  [{}, { secrets: [] }, "billing.secrets: Secret can't be empty."],
])('the secret %j %j is refused with its position and fault, and without its value', (env, billing, problem) => {
  expect(problems(env as Record<string, string>, billing)).toEqual([problem])
})

test('the numeric billing keys have limits', () => {
  expect(load({})).toMatchObject({ onInvalid: 'quarantine', toleranceSeconds: 300, maxBodyBytes: 1_048_576 })
  expect(load({ GATEHOUSE_BILLING_RETENTION_DAYS: '90' }).retentionDays).toBe(90)
  for (const wrong of [{ toleranceSeconds: 301 }, { toleranceSeconds: 0 }, { maxBodyBytes: 100 }, { onInvalid: 'drop' }])
    expect(problems({}, wrong)).toHaveLength(1)
})
