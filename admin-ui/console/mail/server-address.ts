/** The fields that make up the URL of a mail server. */
export interface ServerParts {
  readonly host: string
  /** The port as text. An empty text means the default port. */
  readonly port: string
  /** With `tls` the connection is encrypted from the start. With `starttls` it begins unencrypted and is then upgraded. */
  readonly encryption: 'tls' | 'starttls'
  readonly user: string
  readonly password: string
}

export const noServer: ServerParts = { host: '', port: '', encryption: 'tls', user: '', password: '' }

/**
 * The value of the setting `smtpUrl` for these fields. Undefined if there is no host. If the host field contains a whole URL, that URL is
 * returned unchanged.
 */
export const addressOf = ({ host, port, encryption, user, password }: ServerParts): string | undefined => {
  const name = host.trim()
  if (name === '') return undefined
  if (/^smtps?:\/\//.test(name)) return name
  const login = user.trim() === '' ? '' : `${encodeURIComponent(user.trim())}:${encodeURIComponent(password)}@`
  const usual = encryption === 'tls' ? '465' : '587'
  return `${encryption === 'tls' ? 'smtps' : 'smtp'}://${login}${name}:${port.trim() === '' ? usual : port.trim()}`
}
