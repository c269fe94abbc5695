import { use } from 'react'
import type { Interaction } from '../../shared/api.ts'
import { FormEnd } from '../../shared/form.tsx'
import { Icon } from '../../shared/icons.tsx'
import { Mark } from '../../shared/logo.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { AppTile, Button } from '../../shared/ui.tsx'
import { InteractionGone } from '../client.tsx'
import { useHosted, useTitle } from '../context.tsx'
import { useDecision } from '../decision.ts'
import { IdentityBadge } from '../identity-badge.tsx'
import { pageUrl } from '../return-url.ts'
import { Card, Heading } from '../shell.tsx'
import { Redirect } from '../skeleton.tsx'
import { asksForMore, ScopeList } from './scopes.tsx'

/** Where the application explains itself; undefined when it does not. */
const usePolicyLinks = ({ policyUri, tosUri }: Interaction['client']) => {
  const { t } = useI18n()
  const links = [
    { href: policyUri, text: t('consent.policy') },
    { href: tosUri, text: t('consent.terms') },
  ].filter((link): link is { href: string; text: string } => link.href !== null)
  if (links.length === 0) return undefined
  return (
    <span className="policy">
      {links.map(({ href, text }) => (
        <a key={href} href={href} target="_blank" rel="noopener noreferrer">
          {text}
        </a>
      ))}
    </span>
  )
}

/** For which organization the application will act; said when it may know. */
const ActsFor = ({ organization, scopes }: Interaction) => {
  const { t } = useI18n()
  if (organization === null && !scopes.includes('organizations')) return null
  return (
    <p className="consent-organization">
      <Icon name="building" />
      <span className="break">
        {organization === null ? (
          t('consent.actsForNone')
        ) : (
          <Text id="consent.actsFor" values={{ organization: <strong>{organization.name}</strong> }} />
        )}
      </span>
    </p>
  )
}

interface DecisionProps {
  readonly interaction: Interaction
  readonly user: NonNullable<Interaction['user']>
}

const Decision = ({ interaction, user }: DecisionProps) => {
  const { t } = useI18n()
  const { api } = useHosted()
  const { client } = interaction
  const { choice, waitSeconds, blocked, problem, decide, switchAccount } = useDecision((next: 'allow' | 'deny') =>
    api.oidc.consent({ body: { accept: next === 'allow', interaction: interaction.uid } }),
  )
  const policies = usePolicyLinks(client)
  const working = { allow: t('consent.allowing'), deny: t('consent.denying'), switch: t('consent.switching') }
  return (
    <Card>
      <div className="consent-parties" aria-hidden="true">
        <AppTile name={client.name} size="large" />
        <span className="consent-parties-line" />
        <span className="consent-parties-mark">
          <Mark size={30} />
        </span>
      </div>
      <Heading title={<Text id="consent.title" values={{ client: <span className="break">{client.name}</span> }} />}>
        <Text id="consent.goesTo" values={{ host: <strong className="break">{client.redirectHost}</strong> }} />
      </Heading>
      <IdentityBadge user={user} onSwitch={switchAccount} />
      <ActsFor {...interaction} />
      <h2 className="scopes-title">{t(asksForMore(interaction) ? 'consent.asksMore' : 'consent.asks')}</h2>
      <ScopeList scopes={interaction.scopes} newScopes={interaction.newScopes} />
      <div className="decision">
        <Button kind="secondary" working={choice === 'deny'} blocked={blocked} onClick={() => decide('deny')}>
          {t('consent.deny')}
        </Button>
        <Button working={choice === 'allow'} blocked={blocked} onClick={() => decide('allow')}>
          {waitSeconds > 0 ? t('problem.tooManyWait', { count: waitSeconds }) : t('consent.allow')}
        </Button>
      </div>
      <FormEnd problem={problem} pending={choice !== undefined} foot={policies} />
      <p className="visually-hidden" role="status">
        {choice === undefined ? '' : working[choice]}
      </p>
    </Card>
  )
}

export const ConsentPage = () => {
  const { resources, query } = useHosted()
  const { t } = useI18n()
  const interaction = use(resources.interaction())
  const asking = typeof interaction === 'string' ? undefined : interaction
  useTitle(asking === undefined ? t('error.restart.title') : t('consent.title', { client: asking.client.name }))
  if (asking === undefined) return <InteractionGone />
  if (asking.prompt !== 'consent' || asking.user === null) return <Redirect to={pageUrl('/sign-in', query)} kind="consent" />
  return <Decision interaction={asking} user={asking.user} />
}
