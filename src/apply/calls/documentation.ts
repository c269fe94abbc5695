const change = {
  ...{ kind: 'client', key: 'shop', action: 'update' },
  fields: [{ field: 'name', before: 'Shop', after: 'Web shop' }],
}

/** Descriptions for the API document that the contract does not contain. */
export const declarationDocumentation = {
  applyDeclaration: {
    description:
      'The same as `gatehouse apply`. Besides this permission each object needs what the call needs that changes it alone: to read it, and to create, update or ' +
      'delete it. A change that lowers security needs a person with a recent proof, and a key can neither register applications and APIs nor give them secrets. ' +
      'Files and variables of the server are not read. First send `dryRun`, show `changes`, then send its `digest` as `expected`: where something else has ' +
      'changed since, nothing is applied. The message of a refusal begins with the key of the object.',
    example: {
      body: {
        declaration: 'source: shop\nclients:\n  shop: { name: Web shop, redirectUris: [https://shop.example.com/callback] }\n',
        ...{ prune: false, dryRun: true, force: false },
      },
      response: {
        ...{ source: 'shop', isApplied: false, changes: [change] },
        ...{ digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08', logoProblems: [] },
      },
    },
  },
  exportDeclaration: {
    description:
      'The same as `gatehouse export-declaration`: `gatehouse apply` with the text finds nothing to change. Each section needs the permission to read its ' +
      'objects, too. In the place of a secret stands `keepSecret: true`, which leaves the one that is stored.',
    example: {
      response: {
        declaration:
          'source: exported\nclients:\n  shop:\n    name: Shop\n    redirectUris:\n      - https://shop.example.com/callback\n    keepSecret: true\n',
      },
    },
  },
}
