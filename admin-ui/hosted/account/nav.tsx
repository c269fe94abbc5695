import { useState } from 'react'
import type { Settings } from '../../shared/api.ts'
import { explain } from '../../shared/explain.ts'
import { Icon } from '../../shared/icons.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Button, Notice } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import type { Here, PlaceName } from './places.tsx'
import { overviewPath, PlaceLink, places } from './places.tsx'

/** Sections the operator has not switched off. */
export const openPlaces = (settings: Settings): readonly PlaceName[] => {
  const closed = { delete: !settings.deleteUserEnabled, organizations: !settings.organizationsEnabled }
  return (Object.keys(places) as PlaceName[]).filter((name) => !(name in closed && closed[name as keyof typeof closed]))
}

const SignOut = () => {
  const { api } = useHosted()
  const i18n = useI18n()
  const [pending, setPending] = useState(false)
  const [problem, setProblem] = useState<string>()
  const signOut = async () => {
    setPending(true)
    setProblem(undefined)
    try {
      await api.sessions.signOut()
      location.assign('/sign-in')
    } catch (error) {
      setProblem(explain(error, [], api.retryAfterSeconds(), i18n).form?.text)
      setPending(false)
    }
  }
  return (
    <div className="sign-out">
      <Button kind="secondary" icon="signOut" working={pending} onClick={() => void signOut()}>
        {i18n.t('account.signOut')}
      </Button>
      <div role="alert">{problem === undefined ? null : <Notice tone="bad">{problem}</Notice>}</div>
    </div>
  )
}

/** The sections: a list to choose from on small screens, a column at the side on large ones. */
export const AccountNav = ({ here, settings }: { readonly here: Here; readonly settings: Settings }) => {
  const { t } = useI18n()
  return (
    <div className="account-nav">
      <nav aria-label={t('account.sections')}>
        <ul className="places">
          <li className="place-overview">
            <PlaceLink path={overviewPath} className="place" isCurrent={here === 'overview'}>
              <Icon name="home" />
              <span className="place-title">{t('account.overview')}</span>
            </PlaceLink>
          </li>
          {openPlaces(settings).map((name) => {
            const { path, icon, title, hint } = places[name]
            return (
              <li key={name}>
                <PlaceLink path={path} className="place" isCurrent={here === name}>
                  <Icon name={icon} />
                  <span className="place-words">
                    <span className="place-title">{t(title)}</span>
                    <span className="place-hint">{t(hint)}</span>
                  </span>
                  <Icon name="next" size={16} />
                </PlaceLink>
              </li>
            )
          })}
        </ul>
      </nav>
      <SignOut />
    </div>
  )
}
