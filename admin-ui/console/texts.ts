import type { ConsoleCatalogue, TextFiles } from '../shared/i18n.ts'

/**
 * The text catalogues of the console: one for all screens, one for each group of screens, one for bulk actions, and two for texts that
 * the server names by a code.
 */
export const consoleLoaders: Readonly<Record<ConsoleCatalogue, TextFiles>> = {
  console: import.meta.glob('../locales/console/*.json', { query: '?only=console', import: 'console' }),
  consoleLists: import.meta.glob('../locales/console/*.json', { query: '?only=consoleLists', import: 'consoleLists' }),
  consoleOverview: import.meta.glob('../locales/console/*.json', { query: '?only=consoleOverview', import: 'consoleOverview' }),
  consolePeople: import.meta.glob('../locales/console/*.json', { query: '?only=consolePeople', import: 'consolePeople' }),
  consoleOrganizations: import.meta.glob('../locales/console/*.json', {
    query: '?only=consoleOrganizations',
    import: 'consoleOrganizations',
  }),
  consoleApplications: import.meta.glob('../locales/console/*.json', {
    query: '?only=consoleApplications',
    import: 'consoleApplications',
  }),
  consoleWays: import.meta.glob('../locales/console/*.json', { query: '?only=consoleWays', import: 'consoleWays' }),
  consoleBilling: import.meta.glob('../locales/console/*.json', { query: '?only=consoleBilling', import: 'consoleBilling' }),
  consoleHistory: import.meta.glob('../locales/console/*.json', { query: '?only=consoleHistory', import: 'consoleHistory' }),
  consoleMail: import.meta.glob('../locales/console/*.json', { query: '?only=consoleMail', import: 'consoleMail' }),
  consoleSystem: import.meta.glob('../locales/console/*.json', { query: '?only=consoleSystem', import: 'consoleSystem' }),
  consoleSettings: import.meta.glob('../locales/console/*.json', { query: '?only=consoleSettings', import: 'consoleSettings' }),
  consoleReasons: import.meta.glob('../locales/console/*.json', { query: '?only=consoleReasons', import: 'consoleReasons' }),
  // There is no English file to load, because the server itself sends the English texts of settings.
  settings: import.meta.glob(['../locales/settings/*.json', '!../locales/settings/en.json'], {
    query: '?only=settings',
    import: 'settings',
  }),
  consoleFindings: import.meta.glob('../locales/console/*.json', { query: '?only=consoleFindings', import: 'consoleFindings' }),
}
