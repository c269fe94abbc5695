import { type Check, defineFindings } from '../../core/checks.ts'

/** The settings of the pages that say which sign-in methods are enabled. */
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

/** A check that fails if all sign-in methods are disabled. */
export const waysInCheck = (settings: () => WaysIn): Check => ({
  name: 'waysIn',
  texts: findings.texts,
  run: async () => {
    const { emailPasswordEnabled, passkeysEnabled, mailSignInEnabled, socialProviders } = settings()
    if (emailPasswordEnabled || passkeysEnabled || mailSignInEnabled || socialProviders.length > 0) return []
    return [findings.found('failed', 'no-way-in')]
  },
})
