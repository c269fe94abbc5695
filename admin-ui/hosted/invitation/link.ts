import { ApiError } from '../../../src/http/client.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import { invitationContract } from '../../../src/organizations/invitations/contract.ts'
import type { Answer, HostedApi } from '../../shared/api.ts'
import { forgetToken, takeTabToken } from '../token.ts'

export type InvitationView = Answer<WireApi<typeof invitationContract>['viewInvitation']>

/** The invitation that the page's address names. */
export interface InvitationLink {
  readonly id: string
  /** The token in the mail's link. It proves that the person has access to the invited mailbox. Undefined if the link contains none. */
  readonly token: string | undefined
  readonly view: InvitationView
}

const tokenName = (id: string) => `invitation.${id}`

export const loadInvitation = async (api: HostedApi, path: string, query: URLSearchParams): Promise<InvitationLink | 'none'> => {
  const id = path.split('/').filter(Boolean).at(-1) ?? ''
  const token = takeTabToken(path, query, tokenName(id))
  try {
    const view = await api.of(invitationContract).viewInvitation({ query: token === undefined ? { id } : { id, token } })
    if (view.state !== 'pending') forgetToken(tokenName(id))
    return { id, token, view }
  } catch (error) {
    if (error instanceof ApiError && error.status >= 400 && error.status < 500 && error.status !== 429) return 'none'
    throw error
  }
}

export const forgetInvitation = (id: string): void => forgetToken(tokenName(id))
