import type { ComponentType } from 'react'
import type { ResourceName } from './resources.ts'
import type { SkeletonKind } from './skeleton.tsx'

/** A hosted page: its code, what it will ask for first (asked while the code loads), and its shape while it loads. */
export interface Page {
  readonly load: () => Promise<ComponentType>
  readonly needs: readonly ResourceName[]
  readonly skeleton: SkeletonKind
  readonly layout: 'card' | 'wide'
}

const card = (load: Page['load'], skeleton: SkeletonKind, needs: Page['needs'] = ['settings']): Page => ({
  load,
  skeleton,
  needs,
  layout: 'card',
})

const pages: Readonly<Record<string, Page>> = {
  '/sign-in': card(() => import('./sign-in/page.tsx').then(({ SignInPage }) => SignInPage), 'form2', [
    'settings',
    'session',
    'interaction',
  ]),
  '/sign-up': card(() => import('./sign-up/page.tsx').then(({ SignUpPage }) => SignUpPage), 'form3', ['settings', 'interaction']),
  '/check-email': card(() => import('./check-email/page.tsx').then(({ CheckEmailPage }) => CheckEmailPage), 'note'),
  '/consent': card(() => import('./consent/page.tsx').then(({ ConsentPage }) => ConsentPage), 'consent', [
    'settings',
    'interaction',
  ]),
  '/error': card(() => import('./error/page.tsx').then(({ ErrorPage }) => ErrorPage), 'note'),
  '/setup': card(() => import('./setup/page.tsx').then(({ SetupPage }) => SetupPage), 'form3', ['settings', 'setupLink']),
}

const account: Page = {
  load: () => import('./account/page.tsx').then(({ AccountPage }) => AccountPage),
  needs: ['settings', 'session'],
  skeleton: 'account',
  layout: 'wide',
}

const notFound = card(() => import('./not-found/page.tsx').then(({ NotFoundPage }) => NotFoundPage), 'note')

/** The page of a path. The server already gave this file, so an unknown path gets the page that says so. */
export const pageOf = (path: string): Page => {
  const plain = path.length > 1 ? path.replace(/\/+$/, '') : path
  if (plain === '/account') return account
  return pages[plain] ?? notFound
}
