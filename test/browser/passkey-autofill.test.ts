/** Passkeys in the autofill of the address field, offered for as long as the page is open, in a real browser. */
import { expect, test, vi } from 'vitest'
import { loadI18n } from '../../admin-ui/shared/i18n.ts'
import { drawnByScript } from '../support/browser.ts'
import { type Person, withBrowser } from '../support/people.ts'

const i18n = await loadI18n('en', [], ['secondFactor'])
const { t } = i18n
const site = withBrowser()

/** A browser whose passkey dialogs wait for the test: `offers` are the autofill requests, `asked` counts the requests of the button. */
const script = `
  PublicKeyCredential.isConditionalMediationAvailable = async () => true
  globalThis.offers = []
  globalThis.asked = 0
  const refusal = () => new DOMException('no', 'NotAllowedError')
  navigator.credentials.get = ({ publicKey, mediation, signal }) => new Promise((resolve, reject) => {
    if (mediation !== 'conditional') { globalThis.asked += 1; return reject(refusal()) }
    const offer = { challenge: btoa(String.fromCharCode(...new Uint8Array(publicKey.challenge))), isOpen: true }
    const end = (settle) => (value) => { offer.isOpen = false; settle(value) }
    offer.resolve = end(resolve)
    offer.cancel = () => end(reject)(refusal())
    signal.addEventListener('abort', () => end(reject)(signal.reason))
    offers.push(offer)
    if (globalThis.refusesAtOnce) offer.cancel()
  })`

const visitor = async (before = ''): Promise<Person> => {
  const self = await site.person(i18n, '/error')
  await self.page.clock.install()
  await self.page.addInitScript(before + script)
  await self.open('/sign-in')
  return self
}
const offers = ({ page }: Person) =>
  page.evaluate<{ challenge: string; isOpen: boolean }[]>('offers.map(({ challenge, isOpen }) => ({ challenge, isOpen }))')
/** Expects that the newest offer is the nth one, is open, and is the only open one. */
const waits = (self: Person, n: number) =>
  vi.waitFor(
    async () => {
      const all = await offers(self)
      expect(all.map(({ isOpen }) => isOpen)).toEqual([...Array(n - 1).fill(false), true])
      expect(new Set(all.map(({ challenge }) => challenge)).size).toBe(n)
    },
    { timeout: 20_000, interval: 50 },
  )
const later = ({ page }: Person, time: string) => page.clock.fastForward(time)

test('the sign-in page offers passkeys again after a cancel, each time with a new challenge', async () => {
  const ann = await visitor()
  await waits(ann, 1)
  for (const n of [2, 3, 4, 5, 6]) {
    await later(ann, '00:05')
    await ann.page.evaluate('offers.at(-1).cancel()')
    await waits(ann, n)
  }
  expect(ann.problems()).toEqual([])
  await ann.leaves()
})

test('the sign-in page renews its offer of passkeys before each challenge expires', async () => {
  const ben = await visitor()
  await waits(ben, 1)
  await later(ben, '04:00')
  await waits(ben, 1)
  for (const n of [2, 3]) {
    await later(ben, '05:00')
    await waits(ben, n)
  }
  await ben.leaves()
})

test('the sign-in page offers passkeys again after the dialog of the passkey button was cancelled', async () => {
  const cid = await visitor()
  await waits(cid, 1)
  // The script's request replaces that of the page as the server wrote it.
  await drawnByScript(cid.page)
  await waits(cid, 2)
  await later(cid, '00:05')
  await cid.presses(t('signIn.passkey'))
  await cid.reads(t('passkey.cancelled'))
  expect(await cid.page.evaluate('asked')).toBe(1)
  await waits(cid, 3)
  await cid.leaves()
})

test('the sign-in page shows that the server refused a passkey, and offers passkeys again', async () => {
  const dee = await visitor()
  await waits(dee, 1)
  await later(dee, '00:05')
  const credential = { id: 'AAAA', rawId: 'AAAA', type: 'public-key', clientExtensionResults: {} }
  const response = { clientDataJSON: 'AAAA', authenticatorData: 'AAAA', signature: 'AAAA' }
  await dee.page.evaluate(`offers.at(-1).resolve({ toJSON: () => (${JSON.stringify({ ...credential, response })}) })`)
  await dee.page.locator('.other-way .notice').waitFor()
  await waits(dee, 2)
  await dee.leaves()
})

test('a browser that refuses passkeys at once is not asked for passkeys again', async () => {
  const eve = await visitor('globalThis.refusesAtOnce = true;')
  const count = async () => (await offers(eve)).length
  await vi.waitFor(async () => expect(await count()).toBe(1), { timeout: 20_000, interval: 50 })
  await eve.page.waitForTimeout(500)
  expect(await count()).toBe(1)
  await eve.leaves()
})
