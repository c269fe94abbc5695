import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { signedInAs } from '../../support/administrators.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import type { Client } from '../../support/client.ts'
import { temporaryDirectory } from '../../support/directory.ts'
import { mailTo } from '../../support/mailbox.ts'
import { startSmtp } from '../../support/smtp.ts'

let t: TestApp
let admin: Client
const begin = async (options: Parameters<typeof testApp>[0] = {}) => {
  t = await testApp(options)
  admin = await signedInAs(t, 'admin')
}
afterEach(() => t.stop())

interface Step {
  readonly name: string
  readonly state: string
  readonly lockedBy: string | null
  readonly subject: string | null
}
const steps = async () => (await admin.request('/admin/setup-steps')).json['steps'] as readonly Step[]
const stateOf = async (name: string) => (await steps()).find((step) => step.name === name)
const states = async () => Object.fromEntries((await steps()).map(({ name, state }) => [name, state]))

const patch = (client: Client, name: string, isDismissed: boolean) =>
  client.request(`/admin/setup-steps/${name}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ isDismissed }),
  })

test('every set-up step is open on an empty instance', async () => {
  await begin()
  expect(await states()).toEqual({
    ...{ brand: 'open', mail: 'open', colleague: 'open', 'second-factor': 'open' },
    ...{ application: 'open', 'test-sign-in': 'open', backup: 'open' },
  })
})

test('a set-up step is done once the instance has what it asks for, and the application to try is named', async () => {
  const smtp = await startSmtp()
  try {
    await begin({ config: { brand: { name: 'Nordwind' }, smtpUrl: smtp.url, secondFactor: { requiredFor: ['admin'] } } })
    expect(await states()).toMatchObject({ brand: 'done', mail: 'open', 'second-factor': 'done' })
    await signedInAs(t, 'support', 'second@staff.example')
    const made = await admin.post('/admin/clients', {
      ...{ name: 'Shop', type: 'web', redirectUris: ['https://shop.example/callback'] },
    })
    const { clientId } = made.json['client'] as { clientId: string }
    expect(await stateOf('application')).toMatchObject({ state: 'done', subject: clientId })
    expect(await stateOf('test-sign-in')).toMatchObject({ state: 'open', subject: clientId })
    expect(await stateOf('colleague')).toMatchObject({ state: 'done' })
    await t.client().post('/request-password-reset', { email: 'admin@staff.example' })
    await mailTo(smtp, 'admin@staff.example', 1)
    await expect.poll(() => stateOf('mail')).toMatchObject({ state: 'done' })
  } finally {
    await smtp.stop()
  }
})

test('a set-up step that the file or environment rules out is locked and names that source', async () => {
  const file = join(temporaryDirectory(), 'gatehouse.yaml')
  writeFileSync(file, 'secondFactor: { requiredFor: [] }\n')
  await begin({ file })
  expect(await stateOf('second-factor')).toEqual({ name: 'second-factor', state: 'locked', lockedBy: file, subject: null })
})

test('an administrator can dismiss and restore a set-up step, each change is recorded once, and an unknown step is refused', async () => {
  await begin()
  const change = (name: string, isDismissed: boolean) => patch(admin, name, isDismissed)
  expect(await change('backup', true)).toMatchObject({ status: 200, json: { name: 'backup', state: 'dismissed' } })
  await change('backup', true)
  expect(await stateOf('backup')).toMatchObject({ state: 'dismissed' })
  expect((await change('backup', false)).json).toMatchObject({ state: 'open' })
  expect(await change('nothing', true)).toMatchObject({ status: 404, json: { code: 'SETUP_STEP_NOT_FOUND' } })
  const events = await admin.request('/admin/events?type=instance.setup_step_updated')
  expect((events.json['events'] as { data: unknown }[]).map(({ data }) => data)).toEqual([
    { step: 'backup', isDismissed: false },
    { step: 'backup', isDismissed: true },
  ])
})

test('a caller who may read settings reads the set-up steps, and a caller who may not change settings cannot dismiss a step', async () => {
  await begin()
  const auditor = await signedInAs(t, 'auditor', 'auditor@staff.example')
  expect((await auditor.request('/admin/setup-steps')).status).toBe(200)
  const refused = await patch(auditor, 'backup', true)
  expect(refused.status).toBe(403)
  const support = await signedInAs(t, 'support', 'support@staff.example')
  expect((await support.request('/admin/setup-steps')).status).toBe(403)
})
