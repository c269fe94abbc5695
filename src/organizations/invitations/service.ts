import type { SignUp } from '../../authentication/methods/password/index.ts'
import type { Secrets } from '../../core/crypto.ts'
import { type AcceptDeps, type AcceptInvitations, createAcceptInvitations } from './accept.ts'
import { type CreateDeps, type CreateInvitations, createCreateInvitations } from './create.ts'
import { createReadInvitations, type ReadDeps, type ReadInvitations } from './read.ts'
import { createInvitationTokens } from './tokens.ts'

/** Invites people to organizations, and handles their answers (accounts specification, section 4). */
export interface Invitations extends CreateInvitations, AcceptInvitations, ReadInvitations {}

type Deps = Omit<CreateDeps & AcceptDeps & ReadDeps, 'tokens'> & {
  readonly secrets: Secrets
  readonly accounts: SignUp
}

export const createInvitations = (deps: Deps): Invitations => {
  const shared = {
    ...deps,
    tokens: createInvitationTokens(deps.secrets, deps.config.invitationTtlSeconds),
  }
  return { ...createCreateInvitations(shared), ...createAcceptInvitations(shared), ...createReadInvitations(shared) }
}
