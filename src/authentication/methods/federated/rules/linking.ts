import { nameFrom, pictureInput } from '../../../../core/wire.ts'

/** The settings for accounts that are not linked yet. */
export interface LinkingRules {
  readonly trustedProviders: readonly string[]
  readonly linkingEnabled: boolean
  readonly allowDifferentEmails: boolean
}

/**
 * True if an account may be linked, by its address or by a signed-in user. The provider has to be trusted or to have verified the address
 * (accounts specification, section 5).
 */
export const mayLink = (rules: LinkingRules, providerId: string, emailVerified: boolean): boolean =>
  rules.linkingEnabled && (emailVerified || rules.trustedProviders.includes(providerId))

/**
 * True for a user with any role on the instance besides the default role. The permissions of such a user reach all users, so the address
 * from a provider never signs them in. Roles in organizations do not count, because anybody can get one by creating an organization.
 */
export const isAdministrator = ({ role }: { readonly role: string }): boolean => role !== 'user'

/** The settings about sign-up, for all providers or for one. Both have to allow it. */
export interface SignUpRules {
  readonly signUpEnabled: boolean
  readonly implicitSignUp: boolean
}

/** True if a sign-in may create a user. Sign-up has to be open. In addition, the setting `implicitSignUp` or the request has to ask for it. */
export const maySignUp = (rules: readonly SignUpRules[], requested: boolean): boolean =>
  rules.every(({ signUpEnabled, implicitSignUp }) => signUpEnabled && (implicitSignUp || requested))

/** The normalized address of a picture. Null unless it is an https address that pages may show. */
export const pictureOf = (image: string | undefined): string | null => {
  const { data } = pictureInput.safeParse(image)
  return data?.startsWith('https:') ? data : null
}

/** A valid name. A provider's invalid name must not make the sign-in fail. */
export const nameOf = (name: string | undefined, fallback: string): string => nameFrom(name ?? '') ?? fallback
