import { nameFrom, pictureInput } from '../../../../core/wire.ts'

/** The settings about accounts at providers that are not linked to a user yet. */
export interface LinkingRules {
  readonly trustedProviders: readonly string[]
  readonly linkingEnabled: boolean
  readonly allowDifferentEmails: boolean
}

/**
 * True if an account at a provider may be linked to a user, automatically by its mail address or by the signed-in user. The provider has
 * to be trusted, or has to have verified the mail address (accounts specification, section 5).
 */
export const mayLink = (rules: LinkingRules, providerId: string, emailVerified: boolean): boolean =>
  rules.linkingEnabled && (emailVerified || rules.trustedProviders.includes(providerId))

/**
 * True for a user with a role on the instance other than the default role. Such a user has permissions over all users, so a mail address
 * from a provider never signs the user in. Roles in organizations do not count, because anybody can get one by creating an organization.
 */
export const isAdministrator = ({ role }: { readonly role: string }): boolean => role !== 'user'

/** The settings about sign-up. They exist for all providers together and for each provider. Both have to allow a sign-up. */
export interface SignUpRules {
  readonly signUpEnabled: boolean
  readonly implicitSignUp: boolean
}

/**
 * True if a sign-in may create a user. Sign-up has to be open, and either the setting `implicitSignUp` or the request has to ask for the
 * creation.
 */
export const maySignUp = (rules: readonly SignUpRules[], requested: boolean): boolean =>
  rules.every(({ signUpEnabled, implicitSignUp }) => signUpEnabled && (implicitSignUp || requested))

/** The normalized URL of a picture. Null unless it is an https URL that pages may show. */
export const pictureOf = (image: string | undefined): string | null => {
  const { data } = pictureInput.safeParse(image)
  return data?.startsWith('https:') ? data : null
}

/** The name if it is valid, otherwise the fallback. A provider's invalid name must not make the sign-in fail. */
export const nameOf = (name: string | undefined, fallback: string): string => nameFrom(name ?? '') ?? fallback
