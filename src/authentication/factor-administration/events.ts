import type { EventType } from '../../core/events/types.ts'
import { passkeyEvents } from '../methods/passkey/contract.ts'
import { totpEvents } from '../methods/totp/contract.ts'
import { secondFactorEvents } from '../second-factors/contract.ts'

/** The events that add a second factor. */
export const factorAdditions: readonly EventType[] = [totpEvents['totp.enabled'], passkeyEvents['user.passkey_added']]

/**
 * The events after which a person may have no second factor left. Such an event may be recorded before or after the state of the person
 * changes.
 */
export const factorRemovals: readonly EventType[] = [
  totpEvents['totp.disabled'],
  passkeyEvents['user.passkey_removed'],
  secondFactorEvents['second_factor.removed'],
  secondFactorEvents['second_factor.disabled'],
]
