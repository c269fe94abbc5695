import { bind } from '../http/handlers.ts'
import type { WritableField } from '../identity/users/index.ts'
import { healthContract } from './contract.ts'
import type { Health } from './service.ts'

/** What the hosted pages need to know of the configuration. */
export interface HostedSettings {
  readonly accounts: {
    readonly emailPasswordEnabled: boolean
    readonly signUpEnabled: boolean
    readonly addressFirst: boolean
    readonly requireEmailVerification: boolean
    readonly passwordResetEnabled: boolean
    readonly changeEmailEnabled: boolean
    readonly deleteUserEnabled: boolean
    readonly deleteUserVerification: boolean
  }
  readonly password: { readonly minLength: number; readonly maxLength: number }
  readonly passkeys?: { readonly enabled: boolean }
  readonly mailSignIn?: { readonly enabled: boolean }
  readonly organizations?: {
    readonly enabled: boolean
    readonly teamsEnabled: boolean
    readonly creation: 'everybody' | 'verified' | 'admins' | 'nobody'
  }
}

/** A provider to sign in with. */
export interface SocialButton {
  readonly id: string
  readonly name: string
}

export const healthRoutes = (
  health: Health,
  { accounts, password, passkeys, mailSignIn, organizations }: HostedSettings,
  socialProviders: readonly SocialButton[],
  userFields: readonly WritableField[],
) =>
  bind(healthContract, {
    ok: () => ({ ok: true as const }),
    livez: () => ({ ok: true as const }),
    readyz: async () => ({
      ok: true as const,
      checks: Object.fromEntries((await health.ready()).map((name) => [name, 'ok' as const])),
    }),
    settings: () => ({
      name: 'gatehouse',
      signUpEnabled: accounts.emailPasswordEnabled && accounts.signUpEnabled,
      emailVerificationRequired: accounts.requireEmailVerification,
      passwordMinLength: password.minLength,
      passwordMaxLength: password.maxLength,
      passwordResetEnabled: accounts.emailPasswordEnabled && accounts.passwordResetEnabled,
      passkeysEnabled: passkeys?.enabled === true,
      mailSignInEnabled: mailSignIn?.enabled === true,
      addressFirst: accounts.addressFirst,
      changeEmailEnabled: accounts.changeEmailEnabled,
      deleteUserEnabled: accounts.deleteUserEnabled,
      deleteUserVerification: accounts.deleteUserVerification,
      socialProviders: [...socialProviders],
      userFields: [...userFields],
      organizationsEnabled: organizations?.enabled === true,
      teamsEnabled: organizations?.enabled === true && organizations.teamsEnabled,
      organizationCreation: organizations?.creation ?? 'nobody',
    }),
  })
