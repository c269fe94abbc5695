import { accountStates } from './pages/account.ts'
import { linkStates } from './pages/links.ts'
import { signInStates } from './pages/sign-in.ts'
import type { State } from './state.ts'

/** Every state of every hosted page. */
export const states: readonly State[] = [...signInStates, ...linkStates, ...accountStates]

export const stateOf = (id: string): State | undefined => states.find((state) => state.id === id)
