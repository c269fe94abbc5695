import type { ComponentType } from 'react'
import type { CatalogueName } from '../shared/i18n.ts'
import type { ResourceName } from './resources.ts'
import type { SkeletonKind } from './skeleton.tsx'

/** A hosted page: its code, the data that it needs (requested while the code loads), and the skeleton that is shown meanwhile. */
export interface Page {
  readonly load: () => Promise<ComponentType>
  readonly needs: readonly ResourceName[]
  readonly skeleton: SkeletonKind
  readonly layout: 'card' | 'wide'
  /** Catalogues of texts that the page needs in addition to the catalogue that every page has. */
  readonly texts: readonly CatalogueName[]
}

const card = (
  load: Page['load'],
  skeleton: SkeletonKind,
  needs: Page['needs'] = ['settings'],
  texts: Page['texts'] = [],
): Page => ({ load, skeleton, needs, texts, layout: 'card' })

export const pages: Readonly<Record<string, Page>> = {
  '/sign-in': card(() => import('./sign-in/page.tsx').then(({ SignInPage }) => SignInPage), 'form2', [
    'settings',
    'marks',
    'session',
    'interaction',
  ]),
  '/sign-up': card(
    () => import('./sign-up/page.tsx').then(({ SignUpPage }) => SignUpPage),
    'form3',
    ['settings', 'marks', 'interaction'],
    ['userNames'],
  ),
  '/two-factor': card(
    () => import('./two-factor/page.tsx').then(({ TwoFactorPage }) => TwoFactorPage),
    'form1',
    ['settings', 'interaction', 'secondStep'],
    ['secondFactor'],
  ),
  '/mail-sign-in': card(
    () => import('./mail-sign-in/page.tsx').then(({ MailSignInPage }) => MailSignInPage),
    'form1',
    ['settings', 'interaction'],
    ['secondFactor'],
  ),
  '/check-email': card(() => import('./check-email/page.tsx').then(({ CheckEmailPage }) => CheckEmailPage), 'note'),
  '/forgot-password': card(
    () => import('./forgot-password/page.tsx').then(({ ForgotPasswordPage }) => ForgotPasswordPage),
    'form1',
    ['settings'],
    ['links'],
  ),
  '/reset-password': card(
    () => import('./reset-password/page.tsx').then(({ ResetPasswordPage }) => ResetPasswordPage),
    'form1',
    ['settings', 'reset'],
    ['links'],
  ),
  '/confirm-email': card(
    () => import('./confirm-email/page.tsx').then(({ ConfirmEmailPage }) => ConfirmEmailPage),
    'form1',
    ['settings', 'verification'],
    ['links'],
  ),
  '/recover-address': card(
    () => import('./recover-address/page.tsx').then(({ RecoverAddressPage }) => RecoverAddressPage),
    'form1',
    ['settings', 'recovery'],
    ['links'],
  ),
  '/stop-recovery': card(
    () => import('./stop-recovery/page.tsx').then(({ StopRecoveryPage }) => StopRecoveryPage),
    'note',
    ['settings'],
    ['secondFactor'],
  ),
  '/not-me': card(() => import('./not-me/page.tsx').then(({ NotMePage }) => NotMePage), 'note', ['settings'], ['links']),
  '/verified': card(
    () => import('./verified/page.tsx').then(({ VerifiedPage }) => VerifiedPage),
    'note',
    ['settings'],
    ['links'],
  ),
  '/account/deleted': card(
    () => import('./deleted/page.tsx').then(({ DeletedPage }) => DeletedPage),
    'note',
    ['settings'],
    ['links'],
  ),
  '/consent': card(
    () => import('./consent/page.tsx').then(({ ConsentPage }) => ConsentPage),
    'consent',
    ['settings', 'session', 'interaction'],
    ['consent'],
  ),
  '/choose-organization': card(
    () => import('./choose-organization/page.tsx').then(({ ChooseOrganizationPage }) => ChooseOrganizationPage),
    'consent',
    ['settings', 'session', 'interaction'],
    ['consent'],
  ),
  '/select-account': card(
    () => import('./select-account/page.tsx').then(({ SelectAccountPage }) => SelectAccountPage),
    'consent',
    ['settings', 'session', 'interaction'],
    ['consent'],
  ),
  '/sign-out': card(
    () => import('./sign-out/page.tsx').then(({ SignOutPage }) => SignOutPage),
    'note',
    ['settings', 'session', 'signOutQuestion'],
    ['consent'],
  ),
  '/device': card(
    () => import('./device/page.tsx').then(({ DevicePage }) => DevicePage),
    'form1',
    ['settings', 'deviceRequest'],
    ['consent'],
  ),
  '/error': card(
    () => import('./error/page.tsx').then(({ ErrorPage }) => ErrorPage),
    'note',
    ['settings', 'session'],
    ['consent', 'links', 'secondFactor'],
  ),
  '/setup': card(
    () => import('./setup/page.tsx').then(({ SetupPage }) => SetupPage),
    'form3',
    ['settings', 'setupLink'],
    ['links', 'userNames'],
  ),
}

const account: Page = {
  load: () => import('./account/page.tsx').then(({ AccountPage }) => AccountPage),
  needs: ['settings', 'marks', 'session'],
  skeleton: 'account',
  layout: 'wide',
  texts: ['account', 'secondFactor', 'links', 'userNames'],
}

/**
 * The account area, opened on a page about organizations. Code and texts about organizations are loaded together with those of the
 * account area.
 */
const accountOrganizations: Page = {
  ...account,
  load: () => Promise.all([account.load(), import('./organizations/area.tsx')]).then(([page]) => page),
  texts: ['account', 'secondFactor', 'links', 'organizations', 'userNames'],
}

const invitation = card(
  () => import('./invitation/page.tsx').then(({ InvitationPage }) => InvitationPage),
  'form3',
  ['settings', 'marks', 'session', 'invitation'],
  ['organizations', 'userNames'],
)

/** Pages that also handle the paths below their own path. The first pattern that matches a path decides. */
export const prefixes: readonly (readonly [path: RegExp, page: Page])[] = [
  [/^\/account\/organizations(\/|$)/, accountOrganizations],
  [/^\/account(\/|$)/, account],
  [/^\/invitation\/[^/]+$/, invitation],
]

export const notFound = card(() => import('./not-found/page.tsx').then(({ NotFoundPage }) => NotFoundPage), 'note')

/** Returns the page of a path. The server has already checked the path, so a path that is unknown here gets the page "not found". */
export const pageOf = (path: string): Page => {
  const plain = path.length > 1 ? path.replace(/(?<!\/)\/+$/, '') : path
  const page = Object.hasOwn(pages, plain) ? pages[plain] : undefined
  if (page !== undefined) return page
  return prefixes.find(([prefix]) => prefix.test(plain))?.[1] ?? notFound
}
