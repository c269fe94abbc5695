import type { ComponentType } from 'react'
import { use, useState } from 'react'
import { totpContract } from '../../../src/authentication/methods/totp/contract.ts'
import type { SessionAnswer } from '../../shared/api.ts'
import { useHosted } from '../context.tsx'
import { NotFoundPage } from '../not-found/page.tsx'
import { pageUrl } from '../return-url.ts'
import { Redirect } from '../skeleton.tsx'
import { AccountContext } from './context.ts'
import { DeleteSection } from './delete.tsx'
import { DevicesSection } from './devices.tsx'
import { SecondFactorDue } from './due.tsx'
import { EmailSection } from './email.tsx'
import { useLoader } from './loading.tsx'
import { AccountMenu, enabledSections } from './menu.tsx'
import type { CurrentSection } from './navigation.tsx'
import { NavigateContext, sectionOf, useNavigation } from './navigation.tsx'
import { OrganizationsSection } from './organizations.tsx'
import { Overview } from './overview.tsx'
import { PasswordSection } from './password.tsx'
import { ProfileSection } from './profile.tsx'
import { ProofInPlace } from './proof-in-place.tsx'
import { HasNavigatedContext } from './section.tsx'
import { SignInMethodsSection } from './sign-in-methods.tsx'

interface SectionProps {
  readonly path: string
  readonly query: URLSearchParams
}

const sections: Readonly<Record<CurrentSection, ComponentType<SectionProps>>> = {
  overview: Overview,
  profile: ProfileSection,
  email: EmailSection,
  password: PasswordSection,
  signInMethods: SignInMethodsSection,
  devices: DevicesSection,
  organizations: OrganizationsSection,
  delete: DeleteSection,
}

/** Sections that show themselves what went wrong on the way back to them. */
const ownErrors: readonly CurrentSection[] = ['signInMethods']

const Area = ({ first }: { readonly first: SessionAnswer }) => {
  const { api, resources } = useHosted()
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
            <AccountMenu current={current} settings={settings} />
            <div className="account-content">
              <SecondFactorDue />
              <Section key={current} path={navigation.path} query={navigation.query} />
            </div>
          </div>
          <ProofInPlace />
        </AccountContext>
      </HasNavigatedContext>
    </NavigateContext>
  )
}

export const AccountPage = () => {
  const { resources, path, query } = useHosted()
  const answer = use(resources.session())
  // Links from our mails come back here, with a code when they no longer work.
  if (answer === null && query.has('error')) return <Redirect to={`/error?${query}`} kind="account" />
  if (answer === null) return <Redirect to={pageUrl('/sign-in', query, { callbackURL: path })} kind="account" />
  return <Area first={answer} />
}
