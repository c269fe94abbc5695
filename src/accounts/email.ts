import { parseEmail } from '../core/wire.ts'
import { accountErrors } from './errors.ts'

/** Lower-cased address. Throws INVALID_EMAIL. */
export const requireEmail = (text: string): string => {
  const email = parseEmail(text)
  if (email === undefined) throw accountErrors.refuse('INVALID_EMAIL')
  return email
}
