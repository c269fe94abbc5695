import type { en as applicationsEn } from './applications/en.ts'
import type { en as billingEn } from './billing/en.ts'
import type { en as consoleEn } from './console/en.ts'
import type { en as findingsEn } from './findings/en.ts'
import type { en as historyEn } from './history/en.ts'
import type { en as listsEn } from './lists/en.ts'
import type { en as mailEn } from './mail/en.ts'
import type { en as organizationsEn } from './organizations/en.ts'
import type { en as overviewEn } from './overview/en.ts'
import type { en as peopleEn } from './people/en.ts'
import type { en as reasonsEn } from './reasons/en.ts'
import type { en as systemEn } from './system/en.ts'
import type { en as waysEn } from './ways-in/en.ts'

/** The catalogues of the console: that of every screen, one for each group, one for what is done with several rows, and two for what the server says by code. Names begin with `console`, and so do their keys with the group. */
export interface ConsoleTexts {
  readonly console: typeof consoleEn
  readonly consoleApplications: typeof applicationsEn
  readonly consolePeople: typeof peopleEn
  readonly consoleOrganizations: typeof organizationsEn
  readonly consoleOverview: typeof overviewEn
  readonly consoleHistory: typeof historyEn
  readonly consoleReasons: typeof reasonsEn
  readonly consoleFindings: typeof findingsEn
  readonly consoleSystem: typeof systemEn
  readonly consoleBilling: typeof billingEn
  readonly consoleLists: typeof listsEn
  readonly consoleMail: typeof mailEn
  readonly consoleWays: typeof waysEn
}
