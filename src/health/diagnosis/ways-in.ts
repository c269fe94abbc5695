import { type Check, defineFindings } from '../../core/checks.ts'

/** The sign-in methods in the settings of the pages. */
interface WaysIn {
  readonly emailPasswordEnabled: boolean
  readonly passkeysEnabled: boolean
  readonly mailSignInEnabled: boolean
  readonly socialProviders: readonly unknown[]
}

const findings = defineFindings({
  'no-way-in': {
    message: 'Nobody can sign in: passwords, passkeys, sign-in by mail and providers are all off',
    remedy: 'turn one on: accounts.emailPasswordEnabled, passkeys.enabled, mailSignIn.enabled, or a provider below social',
  },
})

/** Fails if all sign-in methods are switched off. */
export const waysInCheck = (settings: () => WaysIn): Check => ({
  name: 'waysIn',
  texts: findings.texts,
  run: async () => {
    const { emailPasswordEnabled, passkeysEnabled, mailSignInEnabled, socialProviders } = settings()
    if (emailPasswordEnabled || passkeysEnabled || mailSignInEnabled || socialProviders.length > 0) return []
    return [findings.found('failed', 'no-way-in')]
  },
})
