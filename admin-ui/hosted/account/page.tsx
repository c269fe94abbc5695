import type { ComponentType } from 'react'
import { use, useState } from 'react'
import type { SessionAnswer } from '../../shared/api.ts'
import { useHosted } from '../context.tsx'
import { pageUrl } from '../continuation.ts'
import { NotFoundPage } from '../not-found/page.tsx'
import { Redirect } from '../redirect.tsx'
import { DeleteSection } from './delete.tsx'
import { DevicesSection } from './devices.tsx'
import { EmailSection } from './email.tsx'
import { LinkedSection } from './linked.tsx'
import { AccountNav, openPlaces } from './nav.tsx'
import { OrganizationsSection } from './organizations.tsx'
import { Overview } from './overview.tsx'
import { PasswordSection } from './password.tsx'
import { PersonContext } from './person.ts'
import type { Here } from './places.tsx'
import { GoContext, placeOf, useWalk } from './places.tsx'
import { ProfileSection } from './profile.tsx'
import { MovedContext } from './section.tsx'

interface SectionProps {
  readonly path: string
  readonly query: URLSearchParams
}

const sections: Readonly<Record<Here, ComponentType<SectionProps>>> = {
  overview: Overview,
  profile: ProfileSection,
  email: EmailSection,
  password: PasswordSection,
  linked: LinkedSection,
  devices: DevicesSection,
  organizations: OrganizationsSection,
  delete: DeleteSection,
}

/** Sections that show themselves what went wrong on the way back to them. */
const ownErrors: readonly Here[] = ['linked']

const Area = ({ first }: { readonly first: SessionAnswer }) => {
  const { api, resources } = useHosted()
  const settings = use(resources.settings())
  const walk = useWalk()
  const [answer, setAnswer] = useState(first)
  const here = placeOf(walk.path)
  const refresh = async () => {
    const next = await api.sessions.getSession({ query: { disableCookieCache: 'true' } })
    if (next === null) location.assign('/sign-in')
    else setAnswer(next)
  }
  if (here === undefined || (here !== 'overview' && !openPlaces(settings).includes(here))) return <NotFoundPage />
  if (walk.query.has('error') && !ownErrors.includes(here)) return <Redirect to={`/error?${walk.query}`} kind="account" />
  const Section = sections[here]
  return (
    <GoContext value={walk.go}>
      <MovedContext value={walk.hasMoved}>
        <PersonContext value={{ ...answer, settings, refresh }}>
          <div className={here === 'overview' ? 'account account-at-overview' : 'account account-in-section'}>
            <AccountNav here={here} settings={settings} />
            <div className="account-content">
              <Section key={here} path={walk.path} query={walk.query} />
            </div>
          </div>
        </PersonContext>
      </MovedContext>
    </GoContext>
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
