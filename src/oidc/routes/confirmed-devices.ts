import type { Core } from '../../core/core.ts'
import type { Cookies } from '../../http/cookies.ts'
import { devicePath } from '../device/codes.ts'
import type { BrowserBinding } from './interactions.ts'

/** Devices that a person has confirmed on the page, until the library takes them over. Each is bound to the browser of the page. */
export interface ConfirmedDevices {
  /** Makes the path at which the browser goes on, and binds it to the browser. */
  write(id: string, cookies: Cookies, cookieHeader: string | undefined): string
  /** The id of the code that this browser has confirmed. Undefined for another browser, and after the path has expired. */
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
