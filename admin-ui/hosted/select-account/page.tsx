import { use } from 'react'
import type { Interaction } from '../../shared/api.ts'
import { FormEnd } from '../../shared/form.tsx'
import { Icon } from '../../shared/icons.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Avatar } from '../../shared/ui.tsx'
import { ClientRow, InteractionGone } from '../client.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { goTo, pageUrl } from '../continuation.ts'
import { useDecision } from '../decision.ts'
import { Redirect } from '../redirect.tsx'
import { Card, Heading } from '../shell.tsx'

interface AccountsProps {
  readonly interaction: Interaction
  readonly user: NonNullable<Interaction['user']>
}

const Accounts = ({ interaction: { uid, client, signInPage }, user }: AccountsProps) => {
  const { t } = useI18n()
  const { api } = useHosted()
  const { choice, waitSeconds, blocked, problem, decide } = useDecision((_: 'current') =>
    api.oidc.selectAccount({ body: { interaction: uid } }),
  )
  return (
    <Card>
      <Heading title={t('select.title')}>
        <Text id="select.lead" values={{ client: <strong className="break">{client.name}</strong> }} />
      </Heading>
      <ClientRow client={client} />
      <ul className="picks">
        <li>
          <button
            className="pick"
            type="button"
            aria-disabled={blocked}
            aria-busy={choice !== undefined}
            onClick={() => (blocked ? undefined : decide('current'))}
          >
            <Avatar name={user.name} />
            <span className="who-words">
              <span className="pick-name">{user.name}</span>
              <span className="who-email">{user.email}</span>
            </span>
            {choice === undefined ? <Icon name="next" size={18} /> : <span className="spinner" aria-hidden="true" />}
          </button>
        </li>
        <li>
          <button className="pick" type="button" aria-disabled={blocked} onClick={() => (blocked ? undefined : goTo(signInPage))}>
            <span className="avatar avatar-small" aria-hidden="true">
              <Icon name="plus" size={18} />
            </span>
            <span className="who-words">
              <span className="pick-name">{t('select.another')}</span>
              <span className="who-email">{t('select.anotherDetail')}</span>
            </span>
            <Icon name="next" size={18} />
          </button>
        </li>
      </ul>
      <FormEnd problem={problem} pending={choice !== undefined} />
      <p className="unseen" role="status">
        {waitSeconds > 0 ? t('problem.tooManyWait', { count: waitSeconds }) : ''}
        {choice === undefined ? '' : t('choose.working')}
      </p>
    </Card>
  )
}

export const SelectAccountPage = () => {
  const { resources, query } = useHosted()
  const { t } = useI18n()
  const interaction = use(resources.interaction())
  const asking = typeof interaction === 'string' ? undefined : interaction
  useTitle(t(asking === undefined ? 'error.restart.title' : 'select.title'))
  if (asking === undefined) return <InteractionGone />
  if (asking.prompt !== 'select_account' || asking.user === null)
    return <Redirect to={pageUrl('/sign-in', query)} kind="consent" />
  return <Accounts interaction={asking} user={asking.user} />
}
