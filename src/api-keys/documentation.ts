/** Descriptions and examples of the calls for the API document. They are not in the contract, because pages load the contract. */
const secrets = [{ createdAt: '2026-11-22T09:00:00.000Z', expiresAt: null, lastUsedAt: '2026-11-22T09:12:00.000Z' }]
const key = {
  ...{ id: 'k3Jd8sLq0PzX5vBn', prefix: 'gh_org_k3Jd8sLq0PzX5vBn', name: 'Directory import', ownerKind: 'organization' },
  ...{ userId: null, organizationId: 'Vt3kQ0xZ8nLw2sYcVt3kQ0xZ8nLw2sYc', permissions: ['member:read', 'invitation:create'] },
  ...{ allowedNetworks: ['203.0.113.0/24', '2001:db8::/48'], requestsPerMinute: null, enabled: true },
  ...{ expiresAt: '2027-11-22T09:00:00.000Z', createdBy: 'u7Hs2mQw9RtYu7Hs2mQw9RtYu7Hs2mQw' },
  ...{ createdAt: '2026-11-22T09:00:00.000Z', updatedAt: '2026-11-22T09:00:00.000Z' },
  ...{ lastUsedAt: '2026-11-22T09:12:00.000Z', secrets },
}
const issued = { ...key, key: 'gh_org_k3Jd8sLq0PzX5vBn_<43 characters of secret><6 characters of checksum>' }

export const apiKeyDocumentation = {
  createApiKey: {
    description:
      'The key is sent as `Authorization: Bearer <key>`. Its permissions say what it can do. A key of your own can never do more than you can do at that moment. With `organizationId` the key belongs to the organization, acts only for it, and stays when you leave.',
    example: {
      body: {
        ...{ name: 'Directory import', organizationId: 'acme', permissions: ['member:read', 'invitation:create'] },
        ...{ allowedNetworks: ['203.0.113.0/24', '2001:db8::/48'], expiresIn: 31_536_000 },
      },
      response: issued,
    },
  },
  rotateApiKey: {
    description:
      'Both secrets work until `overlapSeconds` are over, and `secrets` says when each was last used. A key has at most two secrets. Another rotation is refused until the former secret ends, unless `overlapSeconds` is 0, which ends the former secrets at once.',
    example: { body: { keyId: key.id, overlapSeconds: 86_400 }, response: issued },
  },
}

export const adminApiKeyDocumentation = {
  adminUpdateApiKey: {
    description:
      'For keys of people and organizations only `{"enabled": false}` is accepted, because administrators cannot give them permissions.',
  },
}
