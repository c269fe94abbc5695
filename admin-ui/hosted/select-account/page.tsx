import { use } from 'react'
import type { Interaction } from '../../shared/api.ts'
import { Icon } from '../../shared/icons.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Avatar } from '../../shared/ui.tsx'
import { ClientRow, InteractionGone } from '../client.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { useDecision } from '../decision.ts'
import { OptionList } from '../options.tsx'
import { goTo, pageUrl } from '../return-url.ts'
import { Card, Heading } from '../shell.tsx'
import { Redirect } from '../skeleton.tsx'
import '../more.css'

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
      <OptionList
        options={[
          {
            id: 'current',
            title: t('select.continueAs', { name: user.name }),
            detail: user.email,
            tile: <Avatar name={user.name} />,
            isSending: choice !== undefined,
            onChoose: () => decide('current'),
          },
          {
            id: 'another',
            title: t('select.another'),
            detail: t('select.anotherDetail'),
            tile: (
              <span className="avatar avatar-small" aria-hidden="true">
                <Icon name="plus" size={18} />
              </span>
            ),
            isSending: false,
            onChoose: () => goTo(signInPage),
          },
        ]}
        blocked={blocked}
        problem={problem}
        waitSeconds={waitSeconds}
        progress={choice === undefined ? undefined : t('choose.working')}
      />
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
