import { use } from 'react'
import { parseUrl } from '../../../src/core/web.ts'
import type { Interaction } from '../../shared/api.ts'
import { FormEnd } from '../../shared/form.tsx'
import { Sign } from '../../shared/logo.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Button, Notice } from '../../shared/ui.tsx'
import { ClientTile } from '../client.tsx'
import { useHosted } from '../context.tsx'
import { useDecision } from '../decision.ts'
import { IdentityBadge } from '../identity-badge.tsx'
import { Card, Heading } from '../shell.tsx'
import { ApiScopes } from './api-scopes.tsx'
import { ActsFor, useOrganizationChoice } from './organization.tsx'
import { asksForMore, ScopeList } from './scopes.tsx'

/** Links to the privacy policy and the terms of the application. Undefined if it has neither. */
const usePolicyLinks = ({ policyUri, tosUri, standing }: Interaction['client']) => {
  const { t } = useI18n()
  const links = [
    { href: policyUri, text: t('consent.policy') },
    { href: tosUri, text: t('consent.terms') },
  ].filter((link): link is { href: string; text: string } => link.href !== null)
  if (links.length === 0) return undefined
  // If nobody has reviewed the application, its links are not trusted. Each therefore shows the host that it leads to.
  const named = (href: string, text: string) => (standing === 'registered' ? text : `${text} (${parseUrl(href)?.host ?? ''})`)
  return (
    <span className="policy">
      {links.map(({ href, text }) => (
        <a key={href} href={href} target="_blank" rel="noopener noreferrer">
          {named(href, text)}
        </a>
      ))}
    </span>
  )
}

/** A link to the application's website, so that people can look at it before they decide. */
const Website = ({ uri }: { readonly uri: string | null }) => {
  const { t } = useI18n()
  const url = parseUrl(uri ?? '')
  if (url === undefined) return null
  return (
    <p className="consent-website">
      <a className="break" href={url.href} target="_blank" rel="noopener noreferrer">
        {t('consent.website', { host: url.host })}
      </a>
    </p>
  )
}

interface DecisionProps {
  readonly interaction: Interaction
  readonly user: NonNullable<Interaction['user']>
}

/** Shows what the application requests, and buttons to allow or deny it. */
export const Decision = ({ interaction, user }: DecisionProps) => {
  const { t } = useI18n()
  const { api, resources } = useHosted()
  const settings = use(resources.settings())
  const { client } = interaction
  const organization = useOrganizationChoice(interaction)
  const { choice, waitSeconds, blocked, problem, decide, switchAccount } = useDecision((next: 'allow' | 'deny') =>
    api.oidc.consent({
      body: {
        accept: next === 'allow',
        interaction: interaction.uid,
        ...(next === 'allow' ? organization.read() : {}),
      },
    }),
  )
  const isMore = asksForMore(interaction)
  const allow = () => organization.read() !== undefined && decide('allow')
  const policies = usePolicyLinks(client)
  const working = { allow: t('consent.allowing'), deny: t('consent.denying'), switch: t('consent.switching') }
  return (
    <Card>
      <div className="consent-parties" aria-hidden="true">
        <ClientTile client={client} size="large" />
        <span className="consent-parties-line" />
        <span className="consent-parties-mark">
          <Sign name={settings.name} brand={settings.brand} />
        </span>
      </div>
      <Heading title={<Text id="consent.title" values={{ client: <span className="break">{client.name}</span> }} />}>
        {client.redirectHost === '' ? (
          t('consent.onDevice')
        ) : (
          <Text id="consent.goesTo" values={{ host: <strong className="break">{client.redirectHost}</strong> }} />
        )}
      </Heading>
      <Website uri={client.uri} />
      {client.standing === 'unknown' ? (
        <div className="consent-warning">
          <Notice tone="bad">{t('consent.unknown', { service: settings.name })}</Notice>
        </div>
      ) : null}
      <IdentityBadge user={user} onSwitch={switchAccount} />
      <ActsFor interaction={interaction} choice={organization} />
      <h2 className="scopes-title">{t(isMore ? 'consent.asksMore' : 'consent.asks')}</h2>
      <ScopeList
        scopes={interaction.scopes}
        newScopes={interaction.newScopes}
        isForNone={organization.isForNone}
        isMore={isMore}
      />
      <ApiScopes apis={interaction.apis} isMore={isMore} />
      <div className="decision-foot">
        <div className="decision">
          <Button kind="secondary" working={choice === 'deny'} blocked={blocked} onClick={() => decide('deny')}>
            {t('consent.deny')}
          </Button>
          <Button working={choice === 'allow'} blocked={blocked} onClick={allow}>
            {waitSeconds > 0 ? t('problem.tooManyWait', { count: waitSeconds }) : t('consent.allow')}
          </Button>
        </div>
        <FormEnd problem={problem} pending={choice !== undefined} foot={policies} />
      </div>
      <p className="visually-hidden" role="status">
        {choice === undefined ? '' : working[choice]}
      </p>
    </Card>
  )
}
