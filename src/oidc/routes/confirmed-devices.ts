import type { Core } from '../../core/core.ts'
import type { Cookies } from '../../http/cookies.ts'
import { devicePath } from '../device/codes.ts'
import type { BrowserBinding } from './interactions.ts'

/**
 * Remembers that a person has confirmed a device, from the person's click until the library handles it. Each confirmation is bound to the
 * browser.
 */
export interface ConfirmedDevices {
  /** Makes the path at which the browser continues, and binds the path to the browser. `id` is the id of the device code. */
  write(id: string, cookies: Cookies, cookieHeader: string | undefined): string
  /** The id of the device code that was confirmed in this browser. Undefined in another browser, and after the path has expired. */
  read(search: string, cookieHeader: string | undefined): string | undefined
}

interface Deps extends Pick<Core, 'secrets' | 'random' | 'clock'> {
  readonly binding: Pick<BrowserBinding, 'set' | 'readHeader'>
  readonly ttlSeconds: number
}

const label = (text: string) => `device:${text}`

export const createConfirmedDevices = ({ secrets, random, clock, binding, ttlSeconds }: Deps): ConfirmedDevices => ({
  write: (id, cookies, cookieHeader) => {
    const uid = random.token(21)
    const text = `${id}.${uid}.${clock.after(ttlSeconds).getTime()}`
    const signature = Buffer.from(secrets.sign('provider-cookies', label(text)), 'base64').toString('base64url')
    binding.set(cookies, cookieHeader, uid)
    return `${devicePath}?ticket=${text}.${signature}`
  },
  read: (search, cookieHeader) => {
    const ticket = new URLSearchParams(search).get('ticket') ?? ''
    const [id = '', uid = '', until = '', signature = ''] = ticket.split('.')
    const signed = Buffer.from(signature, 'base64url').toString('base64')
    if (!secrets.isSigned('provider-cookies', label(`${id}.${uid}.${until}`), signed, ttlSeconds)) return undefined
    return Number(until) > clock.now().getTime() && binding.readHeader(cookieHeader).includes(uid) ? id : undefined
  },
})
