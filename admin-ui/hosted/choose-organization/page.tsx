import { use } from 'react'
import type { Interaction } from '../../shared/api.ts'
import { FormEnd } from '../../shared/form.tsx'
import { Icon } from '../../shared/icons.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { AppTile, Avatar } from '../../shared/ui.tsx'
import { InteractionGone } from '../client.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { pageUrl } from '../continuation.ts'
import { useDecision } from '../decision.ts'
import { Redirect } from '../redirect.tsx'
import { Card, Heading } from '../shell.tsx'
import { Who } from '../who.tsx'

interface ChooserProps {
  readonly interaction: Interaction
  readonly user: NonNullable<Interaction['user']>
}

const Chooser = ({ interaction: { uid, client, organizations }, user }: ChooserProps) => {
  const { t, locale } = useI18n()
  const { api } = useHosted()
  const { choice, waitSeconds, blocked, problem, decide, switchAccount } = useDecision((organizationId: string | null) =>
    api.oidc.chooseOrganization({ body: { organizationId, interaction: uid } }),
  )
  const choices = [
    ...organizations
      .toSorted((a, b) => a.name.localeCompare(b.name, locale))
      .map(({ id, name, slug }) => ({ id, name, detail: slug, tile: <AppTile name={name} /> })),
    { id: null, name: t('choose.none'), detail: t('choose.noneDetail'), tile: <Avatar name={user.name} /> },
  ]
  return (
    <Card>
      <Heading title={t('choose.title')}>
        <Text id="choose.lead" values={{ client: <strong className="break">{client.name}</strong> }} />
      </Heading>
      <Who user={user} onSwitch={switchAccount} />
      <ul className="picks">
        {choices.map(({ id, name, detail, tile }) => (
          <li key={id}>
            <button
              className="pick"
              type="button"
              aria-disabled={blocked}
              aria-busy={choice === id}
              onClick={() => (blocked ? undefined : decide(id))}
            >
              {tile}
              <span className="who-words">
                <span className="pick-name">{name}</span>
                <span className="who-email">{detail}</span>
              </span>
              {choice === id ? <span className="spinner" aria-hidden="true" /> : <Icon name="next" size={18} />}
            </button>
          </li>
        ))}
      </ul>
      <FormEnd problem={problem} pending={choice !== undefined} />
      <p className="unseen" role="status">
        {waitSeconds > 0 ? t('problem.tooManyWait', { count: waitSeconds }) : ''}
        {choice === undefined ? '' : t(choice === 'switch' ? 'consent.switching' : 'choose.working')}
      </p>
    </Card>
  )
}

export const ChooseOrganizationPage = () => {
  const { resources, query } = useHosted()
  const { t } = useI18n()
  const interaction = use(resources.interaction())
  const asking = typeof interaction === 'string' ? undefined : interaction
  useTitle(t(asking === undefined ? 'error.restart.title' : 'choose.title'))
  if (asking === undefined) return <InteractionGone />
  if (asking.prompt !== 'select_organization' || asking.user === null)
    return <Redirect to={pageUrl('/sign-in', query)} kind="consent" />
  return <Chooser interaction={asking} user={asking.user} />
}
