import { Link } from 'react-router'
import { useConsole } from '../api.ts'
import { Id, shortened } from './id.tsx'

/** The screens of resources, by the kind's name in events. */
const homes: Readonly<Record<string, string>> = {
  user: '/admin/users',
  client: '/admin/clients',
  application: '/admin/clients',
  organization: '/admin/organizations',
  customer: '/admin/billing/customers',
  delivery: '/admin/billing/deliveries',
  'api-key': '/admin/api-keys',
  api_key: '/admin/api-keys',
}

/** The address of a resource's screen; undefined if this person has none. */
export const useResourceAddress = () => {
  const { screens } = useConsole()
  return (kind: string, id: string): string | undefined => {
    const home = homes[kind]
    return home !== undefined && screens.has(home) ? `${home}/${encodeURIComponent(id)}` : undefined
  }
}

/** An id that links to the screen of its resource, if there is one; otherwise it can be copied. */
export const ResourceLink = ({ kind, id }: { readonly kind: string; readonly id: string }) => {
  const address = useResourceAddress()(kind, id)
  return address === undefined ? (
    <Id id={id} />
  ) : (
    <Link to={address} title={id}>
      <code>{shortened(id)}</code>
    </Link>
  )
}
