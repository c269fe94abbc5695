import type { HostedCatalogue, TextFiles } from './i18n.ts'

/** Catalogues that only some pages need, each in its own files. This list itself is loaded when first needed. */
export const moreLoaders: Readonly<Record<HostedCatalogue, TextFiles>> = {
  account: import.meta.glob('../locales/account/*.json', { query: '?only=account', import: 'account' }),
  consent: import.meta.glob('../locales/pages/*.json', { query: '?only=consent', import: 'consent' }),
  links: import.meta.glob('../locales/pages/*.json', { query: '?only=links', import: 'links' }),
  organizations: import.meta.glob('../locales/organizations/*.json', { query: '?only=organizations', import: 'organizations' }),
  secondFactor: import.meta.glob('../locales/pages/*.json', { query: '?only=secondFactor', import: 'secondFactor' }),
  userNames: import.meta.glob('../locales/pages/*.json', { query: '?only=userNames', import: 'userNames' }),
}
