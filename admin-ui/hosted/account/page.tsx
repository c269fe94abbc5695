import type { ComponentType } from 'react'
import { use, useState } from 'react'
import { totpContract } from '../../../src/authentication/methods/totp/contract.ts'
import type { SessionAnswer } from '../../shared/api.ts'
import { useLoader } from '../../shared/loading.tsx'
import { ProofInPlace } from '../../shared/proof/in-place.tsx'
import { useI18n } from '../../shared/text.tsx'
import { useHosted } from '../context.tsx'
import { NotFoundPage } from '../not-found/page.tsx'
import { pageUrl } from '../return-url.ts'
import { Redirect } from '../skeleton.tsx'
import { AccountContext } from './context.ts'
import { DeleteSection } from './delete.tsx'
import { DevicesSection } from './devices.tsx'
import { SecondFactorDue } from './due.tsx'
import { EmailSection } from './email.tsx'
import { Impersonation } from './impersonation.tsx'
import { lazySection } from './lazy.tsx'
import { AccountMenu, enabledSections } from './menu.tsx'
import type { CurrentSection } from './navigation.tsx'
import { NavigateContext, sectionOf, useNavigation } from './navigation.tsx'
import { Overview } from './overview.tsx'
import { PasswordSection } from './password.tsx'
import { ProfileSection } from './profile.tsx'
import { RecoveryWait } from './recovery-wait.tsx'
import { HasNavigatedContext } from './section.tsx'
import '../more.css'

interface SectionProps {
  readonly path: string
  readonly query: URLSearchParams
}

const ApplicationsSection = lazySection(
  (addTexts) => [import('./applications.tsx'), addTexts('consent')],
  (module) => module.ApplicationsSection,
)
const SignInMethodsSection = lazySection(
  (addTexts) => [import('./sign-in-methods.tsx'), addTexts('consent')],
  (module) => module.SignInMethodsSection,
)
const OrganizationsSection = lazySection(
  (addTexts) => [import('../organizations/area.tsx'), addTexts('organizations')],
  (module) => module.OrganizationsArea,
)

const sections: Readonly<Record<CurrentSection, ComponentType<SectionProps>>> = {
  overview: Overview,
  profile: ProfileSection,
  email: EmailSection,
  password: PasswordSection,
  signInMethods: SignInMethodsSection,
  devices: DevicesSection,
  applications: ApplicationsSection,
  organizations: OrganizationsSection,
  delete: DeleteSection,
}

/** Sections that themselves show the error whose code is in the address. For other sections, the error page shows it. */
const ownErrors: readonly CurrentSection[] = ['signInMethods']

const Area = ({ first }: { readonly first: SessionAnswer }) => {
  const { api, resources } = useHosted()
  const { t } = useI18n()
  const settings = use(resources.settings())
  const navigation = useNavigation()
  const [answer, setAnswer] = useState(first)
  const secondFactors = useLoader(() => api.of(totpContract).status())
  const current = sectionOf(navigation.path)
  const refresh = async () => {
    const next = await api.sessions.getSession({ query: { disableCookieCache: 'true' } })
    if (next === null) location.assign('/sign-in')
    else setAnswer(next)
  }
  if (current === undefined || (current !== 'overview' && !enabledSections(settings).includes(current))) return <NotFoundPage />
  if (navigation.query.has('error') && !ownErrors.includes(current))
    return <Redirect to={`/error?${navigation.query}`} kind="account" />
  const Section = sections[current]
  return (
    <NavigateContext value={navigation.navigate}>
      <HasNavigatedContext value={navigation.hasNavigated}>
        <AccountContext value={{ ...answer, settings, secondFactors, refresh }}>
          <div className={current === 'overview' ? 'account account-overview' : 'account account-in-section'}>
            <a className="skip-link" href="#content">
              {t('account.skip')}
            </a>
            <AccountMenu current={current} />
            <div id="content" className="account-content" tabIndex={-1}>
              <Impersonation />
              <SecondFactorDue />
              <RecoveryWait />
              <Section key={current} path={navigation.path} query={navigation.query} />
            </div>
          </div>
          <ProofInPlace api={api} email={answer.user.email} />
        </AccountContext>
      </HasNavigatedContext>
    </NavigateContext>
  )
}

export const AccountPage = () => {
  const { resources, path, query } = useHosted()
  const answer = use(resources.session())
  // Mailed links lead to this page. If a link was invalid, the address contains an error code, which the error page shows.
  if (answer === null && query.has('error')) return <Redirect to={`/error?${query}`} kind="account" />
  if (answer === null) return <Redirect to={pageUrl('/sign-in', query, { callbackURL: path })} kind="account" />
  return <Area first={answer} />
}
