import type { BrandService } from '../brand/index.ts'
import type { OwnPageTexts } from '../core/page-texts.ts'
import { bind } from '../http/handlers.ts'
import type { UserNamesConfig, WritableField } from '../identity/users/index.ts'
import { healthContract } from './contract.ts'
import type { Health } from './service.ts'

/** The parts of the configuration that hosted pages read. */
export interface HostedSettings {
  readonly accounts: {
    readonly emailPasswordEnabled: boolean
    readonly signUpEnabled: boolean
    readonly addressFirst: boolean
    readonly userNames: UserNamesConfig
    readonly requireEmailVerification: boolean
    readonly passwordResetEnabled: boolean
    readonly changeEmailEnabled: boolean
    readonly deleteUserEnabled: boolean
    readonly deleteUserVerification: boolean
  }
  readonly password: { readonly minLength: number; readonly maxLength: number }
  readonly passkeys?: { readonly enabled: boolean; readonly offerAfterSignIn: 'silently' | 'ask' | 'never' }
  readonly mailSignIn?: { readonly enabled: boolean; readonly signUp: boolean }
  readonly social?: { readonly signUpEnabled: boolean; readonly autoRedirect: boolean }
  readonly organizations?: {
    readonly enabled: boolean
    readonly teamsEnabled: boolean
    readonly creation: 'everybody' | 'verified' | 'admins' | 'nobody'
  }
}

/** An identity provider with a button on the sign-in page. */
export interface SocialButton {
  readonly id: string
  readonly name: string
}

/** Only the path of an image's URL, so that pages also work under other host names of the server. */
const pathOf = (image: { readonly url: string } | null) => (image === null ? null : new URL(image.url).pathname)

/** The settings that hosted pages need first. They are written into each page, and there is also a call for them. */
export const pageSettings = (
  brand: BrandService,
  { accounts, password, passkeys, mailSignIn, social, organizations }: HostedSettings,
  socialProviders: readonly SocialButton[],
  userFields: readonly WritableField[],
) => {
  return () => {
    const { version, name, isNamed, logo, logoDark, icon, background, links, poweredBy } = brand.current()
    const images = { logo: pathOf(logo), logoDark: pathOf(logoDark), icon: pathOf(icon) }
    return {
      name,
      brand: { version, isNamed, ...images, background, links, poweredBy },
      emailPasswordEnabled: accounts.emailPasswordEnabled,
      signUpEnabled: accounts.emailPasswordEnabled && accounts.signUpEnabled,
      emailVerificationRequired: accounts.requireEmailVerification,
      passwordMinLength: password.minLength,
      passwordMaxLength: password.maxLength,
      passwordResetEnabled: accounts.emailPasswordEnabled && accounts.passwordResetEnabled,
      passkeysEnabled: passkeys?.enabled === true,
      passkeyOffer: passkeys?.enabled === true ? passkeys.offerAfterSignIn : ('never' as const),
      mailSignInEnabled: mailSignIn?.enabled === true,
      mailSignUpEnabled: mailSignIn?.enabled === true && mailSignIn.signUp && accounts.signUpEnabled,
      addressFirst: accounts.addressFirst,
      userNames: accounts.userNames,
      changeEmailEnabled: accounts.changeEmailEnabled,
      deleteUserEnabled: accounts.deleteUserEnabled,
      deleteUserVerification: accounts.deleteUserVerification,
      socialProviders: [...socialProviders],
      socialSignUpEnabled: socialProviders.length > 0 && accounts.signUpEnabled && social?.signUpEnabled === true,
      socialAutoRedirect: social?.autoRedirect === true && !accounts.emailPasswordEnabled && socialProviders.length === 1,
      userFields: [...userFields],
      organizationsEnabled: organizations?.enabled === true,
      teamsEnabled: organizations?.enabled === true && organizations.teamsEnabled,
      organizationCreation: organizations?.creation ?? ('nobody' as const),
    }
  }
}

export const healthRoutes = (health: Health, settings: ReturnType<typeof pageSettings>, texts: OwnPageTexts) =>
  bind(healthContract, {
    ok: () => ({ ok: true as const }),
    livez: () => ({ ok: true as const }),
    readyz: async () => ({
      ok: true as const,
      checks: Object.fromEntries((await health.ready()).map((name) => [name, 'ok' as const])),
    }),
    settings,
    texts: (_principal, { params }) => ({ ...texts.of(params.language) }),
  })
