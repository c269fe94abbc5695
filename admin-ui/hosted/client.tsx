import { parseUrl } from '../../src/core/web.ts'
import type { Interaction } from '../shared/api.ts'
import { Text, useI18n } from '../shared/text.tsx'
import { AppTile, LinkButton } from '../shared/ui.tsx'
import { useTitle } from './context.tsx'
import { Card, Heading } from './shell.tsx'

/** The picture of an application. It is the logo, or without a logo the first letter of the name. */
export const ClientTile = ({
  client,
  size = 'small',
}: {
  readonly client: Pick<Interaction['client'], 'name' | 'logo'>
  readonly size?: 'small' | 'large'
}) => <AppTile name={client.name} logo={client.logo} size={size} />

/** A link to the application's website. Renders nothing if the website is unknown. */
const Website = ({ uri }: Pick<Interaction['client'], 'uri'>) => {
  const url = parseUrl(uri ?? '')
  return url === undefined ? null : (
    <a className="client-website" href={url.href} target="_blank" rel="noopener noreferrer">
      {url.host}
    </a>
  )
}

/** The application that the person signs in to. It is shown with its host, by which people recognize it. */
export const ClientRow = ({ client }: { readonly client: Interaction['client'] }) => (
  <div className="client">
    <ClientTile client={client} />
    <span className="client-text">
      <span className="client-label">{useI18n().t('signIn.application')}</span>
      <span className="client-host">{client.redirectHost}</span>
      <Website uri={client.uri} />
    </span>
  </div>
)

/** The line below the title that names the application to which the sign-in leads. */
export const ContinueTo = ({ client, again }: { readonly client: Interaction['client']; readonly again: boolean }) => (
  <Text
    id={again ? 'signIn.confirm' : 'signIn.continueTo'}
    values={{ client: <strong className="break">{client.name}</strong> }}
  />
)

/** Shown if the application's sign-in that the address names has already ended. */
export const InteractionGone = () => {
  const { t } = useI18n()
  useTitle(t('error.restart.title'))
  return (
    <Card>
      <Heading title={t('error.restart.title')}>{t('error.restart.text')}</Heading>
      <div className="actions">
        <LinkButton href="/sign-in">{t('common.toSignIn')}</LinkButton>
      </div>
    </Card>
  )
}
