import type { EventType } from '../../core/events/types.ts'
import { passkeyEvents } from '../methods/passkey/contract.ts'
import { totpEvents } from '../methods/totp/contract.ts'
import { secondFactorEvents } from '../second-factors/contract.ts'

/** By these a person has a second factor. */
export const factorAdditions: readonly EventType[] = [totpEvents['totp.enabled'], passkeyEvents['user.passkey_added']]

/** After these a person may have no second factor any more. They come before or after the state of the person. */
export const factorRemovals: readonly EventType[] = [
  totpEvents['totp.disabled'],
  passkeyEvents['user.passkey_removed'],
  secondFactorEvents['second_factor.removed'],
  secondFactorEvents['second_factor.disabled'],
]
