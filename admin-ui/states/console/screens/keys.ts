import { instancePermissions } from '../../../../src/access/permissions.ts'
import type { adminApiKeyContract } from '../../../../src/api-keys/contract.ts'
import { daysAgo, daysAhead } from '../../made-up.ts'
import { agoOf, companyOf, idOf, nameOf } from '../made-up.ts'
import type { Wire } from '../typed.ts'

type ApiKey = Wire<typeof adminApiKeyContract, 'adminGetApiKey'>

const names = [
  'Nightly export',
  'The deployment pipeline of the Customer Success team, which nobody has touched since 2024',
  '夜間バッチ',
  'CI',
] as const
const owners = ['instance', 'organization', 'user'] as const

/** An API key. The third one has many permissions and networks, and two secrets. */
export const keyOf = (index: number): ApiKey => {
  const ownerKind = owners[index % 3] ?? 'instance'
  const isLarge = index % 3 === 2
  return {
    id: idOf('key', index),
    prefix: `gh_${String(index).padStart(4, '0')}`,
    name: names[index % names.length] ?? names[0],
    ownerKind,
    userId: ownerKind === 'user' ? idOf('usr', 2) : null,
    organizationId: ownerKind === 'organization' ? idOf('org', 2) : null,
    permissions: isLarge ? [...instancePermissions] : ['users:read', 'events:read'],
    allowedNetworks: isLarge ? ['203.0.113.0/24', '2001:db8:85a3:8d3::/64', '198.51.100.23/32', '192.0.2.0/24'] : [],
    requestsPerMinute: isLarge ? 600 : null,
    enabled: index % 4 !== 3,
    expiresAt: index % 3 === 0 ? daysAhead(90) : index % 3 === 1 ? daysAgo(3) : null,
    owner:
      ownerKind === 'user'
        ? { kind: 'user', id: idOf('usr', 2), name: nameOf(2) }
        : ownerKind === 'organization'
          ? { kind: 'organization', id: idOf('org', 2), name: companyOf(2) }
          : null,
    createdBy: idOf('usr', 0),
    creator: { kind: 'user', id: idOf('usr', 0), name: nameOf(0) },
    createdAt: agoOf(index + 2),
    updatedAt: agoOf(index + 1),
    lastUsedAt: index % 3 === 1 ? null : agoOf(index),
    secrets: [
      { createdAt: agoOf(index), expiresAt: null, lastUsedAt: null },
      ...(isLarge ? [{ createdAt: agoOf(index + 8), expiresAt: daysAhead(1), lastUsedAt: daysAgo(0.1) }] : []),
    ],
  }
}
