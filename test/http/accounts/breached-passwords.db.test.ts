import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { systemPrincipal } from '../../../src/access/principal.ts'
import { importBreached } from '../../../src/authentication/methods/password/breached/importing.ts'
import { type TestApp, testApp } from '../../support/app.ts'
import { listOf, type RangeService, sha1Of, startRangeService } from '../../support/breached.ts'
import { createDatabaseWithKeys } from '../../support/database.ts'
import { outbound } from '../../support/social/listen.ts'

const leaked = 'a staple that leaked'
const padded = 'a staple of the padding'
const fine = 'correct horse battery'
const refused = { status: 400, code: 'PASSWORD_WAS_LEAKED' }

const signUp = (t: TestApp, password: string, email = `${sha1Of(`${password}${Math.random()}`)}@example.com`) =>
  t.client().api.accounts.signUpEmail({ body: { name: 'Ann', email, password } })
/** The findings of `doctor` about the list. */
const findings = async (t: TestApp) =>
  (await t.app.diagnosis.run()).filter(({ check, severity }) => check === 'breached-passwords' && severity !== 'ok')

describe('a range service', () => {
  let service: RangeService
  let t: TestApp
  /** A node with a short timeout, for answers that never arrive. Other tests would fail with it on a busy machine. */
  let impatient: TestApp
  const lines: string[] = []
  beforeAll(async () => {
    service = await startRangeService({ [leaked]: 7, [padded]: 0 })
    const breached = { source: 'service', url: service.url, timeoutMs: 10_000 }
    const password = { memoryKib: 8, timeCost: 1, allowWeakHashing: true, breached }
    t = await testApp({ config: { password, outbound }, onLog: (line) => lines.push(line) })
    const hasty = { ...password, breached: { ...breached, timeoutMs: 300 } }
    impatient = await testApp({ config: { password: hasty, outbound }, onLog: (line) => lines.push(line) })
  })
  afterEach(() => {
    service.answer = undefined
    // Moves past the pause after a failure and past the cached answers.
    for (const node of [t, impatient]) node.clock.advance({ hours: 2 })
  })
  afterAll(async () => {
    await impatient.stop()
    await t.stop()
    await service.stop()
  })

  test('a breached password is refused, and the range service gets only the first five digits of the hash, in a request for a padded answer', async () => {
    await expect(signUp(t, leaked)).rejects.toMatchObject(refused)
    expect(service.asked.at(-1)).toMatchObject({ prefix: sha1Of(leaked).slice(0, 5), headers: { 'add-padding': 'true' } })
    await signUp(t, fine)
    const told = [...lines, JSON.stringify(service.asked)].join('\n').toLowerCase()
    for (const secret of [leaked, sha1Of(leaked).toLowerCase(), sha1Of(leaked).slice(5).toLowerCase()])
      expect(told).not.toContain(secret)
  })

  test('padding entries of the range service do not make a password breached', async () => {
    await signUp(t, padded)
  })

  test('a breached password is refused in a change, in a reset and from an operator, but never at sign-in', async () => {
    service.answer = (res) => res.status(503).end()
    await signUp(t, leaked, 'before@example.com')
    service.answer = undefined
    t.clock.advance({ hours: 2 })
    const browser = t.client()
    const asked = service.asked.length
    await browser.api.accounts.signInEmail({ body: { email: 'before@example.com', password: leaked } })
    expect(service.asked).toHaveLength(asked)
    await expect(
      browser.api.passwords.changePassword({ body: { currentPassword: leaked, newPassword: leaked } }),
    ).rejects.toMatchObject(refused)
    await browser.api.passwords.requestPasswordReset({ body: { email: 'before@example.com' } })
    const token =
      /reset-password\/([A-Za-z0-9]{24})/.exec((await t.mailTo('before@example.com', 'reset-password')).link)?.[1] ?? ''
    await expect(browser.api.passwords.resetPassword({ body: { newPassword: leaked, token }, query: {} })).rejects.toMatchObject(
      refused,
    )
    await browser.api.passwords.resetPassword({ body: { newPassword: fine, token }, query: {} })
    const { code } = refused
    const operator = systemPrincipal('test')
    await expect(t.app.passwordService.set(operator, 'before@example.com', leaked, { replaces: true })).rejects.toMatchObject({
      code,
    })
    // Setup, invitations, administrators and the command line create accounts by this function.
    const account = { name: 'Ann', email: 'other@example.com', role: 'user', emailVerified: true }
    await expect(t.app.accounts.prepare(operator, { ...account, password: leaked })).rejects.toMatchObject({ code })
  })

  test('a hash range is fetched once an hour, however many passwords have this range', async () => {
    // No race in the database: the hash ranges are in the memory of the process.
    const before = service.asked.length
    await Promise.all([signUp(t, fine), signUp(t, fine)])
    await signUp(t, fine)
    expect(service.asked).toHaveLength(before + 1)
    t.clock.advance({ hours: 2 })
    await signUp(t, fine)
    expect(service.asked).toHaveLength(before + 2)
  })

  test.each<readonly [name: string, answer: NonNullable<RangeService['answer']>]>([
    ['fails', (res) => void res.status(500).end()],
    ['breaks the connection', (res) => void res.destroy()],
    ['does not answer in time', () => undefined],
    ['leads elsewhere', (res) => void res.redirect('http://127.0.0.1:1/')],
    ['answers with a page', (res) => void res.send('<p>All is well</p>')],
    ['answers with nothing', (res) => void res.send('')],
    ['answers without an end', (res) => void res.write(`${'0'.repeat(35)}:1\r\n`.repeat(20_000))],
  ])(
    'a range service that %s stops nobody from setting a password, and log and doctor report the failure',
    async (name, answer) => {
      const node = name === 'does not answer in time' || name === 'answers without an end' ? impatient : t
      service.answer = answer
      const said = lines.length
      await signUp(node, leaked)
      expect(lines.slice(said).filter((line) => line.includes('cannot be asked'))).toHaveLength(1)
      // For half a minute after the failure no request waits for the service.
      const asked = service.asked.length
      await signUp(node, leaked)
      expect(service.asked).toHaveLength(asked)
      expect(await findings(node)).toMatchObject([
        {
          severity: 'warning',
          message: expect.stringMatching(/could not be asked since 20\d\d-.*Z, and passwords are set without it: /),
        },
      ])
      service.answer = undefined
      node.clock.advance({ minutes: 1 })
      // The service answers at once, but this machine may be busy: one of several tries has to succeed in time.
      await vi.waitFor(async () => {
        node.clock.advance({ minutes: 1 })
        await expect(signUp(node, leaked)).rejects.toMatchObject(refused)
      }, 60_000)
      expect(await findings(node)).toEqual([])
    },
  )
})

describe('a downloaded list of breached passwords', () => {
  test('a downloaded list refuses breached passwords, a new file takes effect without a restart, and a missing or broken file is reported', async () => {
    const database = await createDatabaseWithKeys()
    const file = join(database.dataDir, 'breached.hashes')
    const make = (passwords: Readonly<Record<string, number>>) =>
      importBreached({
        source: Readable.from([Buffer.from(listOf(passwords))]),
        output: file,
        ...{ minimumCount: 1, createdAt: new Date(), onProgress: () => undefined },
      })
    await make({ [leaked]: 1 })
    const password = { memoryKib: 8, timeCost: 1, allowWeakHashing: true, breached: { source: 'file' } }
    const t = await testApp({ database, config: { password } })
    await expect(signUp(t, leaked)).rejects.toMatchObject(refused)
    await signUp(t, fine)
    expect(await findings(t)).toEqual([])

    await make({ [fine]: 1 })
    await expect(signUp(t, fine)).rejects.toMatchObject(refused)
    await signUp(t, leaked)

    renameSync(file, `${file}.away`)
    await signUp(t, fine)
    expect(await findings(t)).toMatchObject([{ message: expect.stringContaining(`${file} does not exist`) }])
    writeFileSync(file, 'something else')
    expect(await findings(t)).toMatchObject([{ message: expect.stringContaining('is no list of breached passwords') }])
    rmSync(file)
    renameSync(`${file}.away`, file)
    await expect(signUp(t, fine)).rejects.toMatchObject(refused)
    expect(await findings(t)).toEqual([])
    await t.stop()
  })

  test('the daemon refuses to start with a missing or broken list of breached passwords, and the message names the file and a remedy', async () => {
    const database = await createDatabaseWithKeys()
    const password = { memoryKib: 8, timeCost: 1, allowWeakHashing: true, breached: { source: 'file' } }
    await expect(testApp({ database, config: { password } })).rejects.toThrow(
      /password\.breached\.file: .*breached\.hashes does not exist: make it anew with import-breached/,
    )
    await database.drop()
  })
})
