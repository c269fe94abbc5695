import { use } from 'react'
import type { Interaction } from '../../shared/api.ts'
import { Text, useI18n } from '../../shared/text.tsx'
import { AppTile, Avatar } from '../../shared/ui.tsx'
import { InteractionGone } from '../client.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { useDecision } from '../decision.ts'
import { IdentityBadge } from '../identity-badge.tsx'
import { OptionList } from '../options.tsx'
import { pageUrl } from '../return-url.ts'
import { Card, Heading } from '../shell.tsx'
import { Redirect } from '../skeleton.tsx'
import '../more.css'

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
      .map(({ id, name, slug, logo }) => ({ id, name, detail: slug, tile: <AppTile name={name} logo={logo} /> })),
    { id: null, name: t('choose.none'), detail: t('choose.noneDetail'), tile: <Avatar name={user.name} /> },
  ]
  return (
    <Card>
      <Heading title={t('choose.title')}>
        <Text id="choose.lead" values={{ client: <strong className="break">{client.name}</strong> }} />
      </Heading>
      <IdentityBadge user={user} onSwitch={switchAccount} />
      <OptionList
        options={choices.map(({ id, name, detail, tile }) => ({
          id: id ?? 'none',
          title: name,
          detail,
          tile,
          isSending: choice === id,
          onChoose: () => decide(id),
        }))}
        blocked={blocked}
        problem={problem}
        waitSeconds={waitSeconds}
        progress={choice === undefined ? undefined : t(choice === 'switch' ? 'consent.switching' : 'choose.working')}
      />
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
