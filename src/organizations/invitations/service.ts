import type { Accounts } from '../../accounts/index.ts'
import type { Secrets } from '../../core/crypto.ts'
import { type Answering, type AnsweringDeps, createAnswering } from './answering.ts'
import { createInviting, type Inviting, type InvitingDeps } from './inviting.ts'
import { createProofs } from './proof.ts'
import { createViewing, type Viewing, type ViewingDeps } from './viewing.ts'

/** Invitations from the first mail to the answer (accounts specification, section 4). */
export interface Invitations extends Inviting, Answering, Viewing {}

type Deps = Omit<InvitingDeps & AnsweringDeps & ViewingDeps, 'proofs' | 'requireEmail'> & {
  readonly secrets: Secrets
  readonly accounts: Accounts
}

export const createInvitations = (deps: Deps): Invitations => {
  const shared = {
    ...deps,
    proofs: createProofs(deps.secrets, deps.config.invitationTtlSeconds),
    requireEmail: deps.accounts.requireEmail,
  }
  return { ...createInviting(shared), ...createAnswering(shared), ...createViewing(shared) }
}
