import { nameFrom, pictureInput } from '../../../../core/wire.ts'

/** Settings for accounts that are not linked yet. */
export interface LinkingRules {
  readonly trustedProviders: readonly string[]
  readonly linkingEnabled: boolean
  readonly allowDifferentEmails: boolean
}

/**
 * True if linking by address, or to a signed-in user, is allowed: the provider is trusted or has proven the address (accounts
 * specification, section 5).
 */
export const mayLink = (rules: LinkingRules, providerId: string, emailVerified: boolean): boolean =>
  rules.linkingEnabled && (emailVerified || rules.trustedProviders.includes(providerId))

/**
 * True for an administrator of this installation (any platform role but the default one). Their permissions reach all users, so no
 * provider signs them in by their address. Roles in organizations do not count, since everybody can get one by creating an organization.
 */
export const isAdministrator = ({ role }: { readonly role: string }): boolean => role !== 'user'

/** Both switches are on: that of all providers, and the provider's own. */
export interface SignUpRules {
  readonly signUpEnabled: boolean
  readonly implicitSignUp: boolean
}

/** True if a new user may be created: sign-up is open, and implicit or requested. */
export const maySignUp = (rules: readonly SignUpRules[], requested: boolean): boolean =>
  rules.every(({ signUpEnabled, implicitSignUp }) => signUpEnabled && (implicitSignUp || requested))

/** The normalized address of the picture, if it is an https address that pages may show; else null. */
export const pictureOf = (image: string | undefined): string | null => {
  const { data } = pictureInput.safeParse(image)
  return data?.startsWith('https:') ? data : null
}

/** A name in a valid form: a provider's nonsense must not fail the sign-in. */
export const nameOf = (name: string | undefined, fallback: string): string => nameFrom(name ?? '') ?? fallback
