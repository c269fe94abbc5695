import { errors } from 'oidc-provider'
import type { Db } from '../../core/database.ts'
import type { Memberships } from '../../organizations/index.ts'
import { hasPrompt, selectOrganization, splitScope } from '../rules.ts'
import type { SignedIn } from './request.ts'

/**
 * The organization a sign-in is for, null for none, undefined when the person has to choose. `chosen` is what the person chose, or was shown
 * when they agreed. Throws access_denied when the application names one the user is not a member of.
 */
export type ChooseOrganization = (
  signedIn: SignedIn,
  params: Readonly<Record<string, unknown>>,
  chosen: string | null | undefined,
) => Promise<string | null | undefined>

/** Ids and slugs; anything else names no organization. */
const reference = /^[\w-]{1,64}$/

export const createOrganizationChoice =
  (db: Db, memberships: Memberships, sourceScopes: readonly string[]): ChooseOrganization =>
  async ({ user, session }, { organization: named, prompt, scope }, chosen) => {
    const find = async (idOrSlug: string) =>
      reference.test(idOrSlug) ? (await memberships.claimsOf(db, user.id, idOrSlug))?.id : undefined
    if (typeof named === 'string') {
      const id = await find(named)
      // One answer for both: whoever asks must not learn which organizations there are.
      // Nor may another one have taken the slug since the person agreed.
      if (id === undefined || (chosen !== undefined && chosen !== id))
        throw new errors.AccessDenied('the organization does not exist, or the user is not a member of it')
      return id
    }
    if (chosen === null || (chosen !== undefined && (await find(chosen)) === chosen)) return chosen
    if (hasPrompt(prompt, selectOrganization)) {
      const own = await memberships.listOf(db, user.id)
      if (own.length > 1) return undefined
      // Nobody has agreed to another one than was chosen.
      return chosen === undefined ? (own[0]?.id ?? null) : null
    }
    const { activeOrganizationId: active } = session
    const isAsked = splitScope(String(scope ?? '')).some((part) => sourceScopes.includes(part))
    if (chosen !== undefined || active === null || !isAsked) return null
    return (await find(active)) === active ? active : null
  }
