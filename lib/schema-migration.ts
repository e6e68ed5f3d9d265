import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { Duration } from 'aws-cdk-lib';
import { Trigger } from 'aws-cdk-lib/triggers';
import { Construct } from 'constructs';
import { bundle, ROOT } from './bundle.ts';
import type { DatabaseAccess } from './database-access.ts';
import { PaymentsFunction } from './payments-function.ts';

/**
 * Brings the schema up to date in every deployment that changes the migrator or a migration, before the constructs named
 * with `executeBefore` get new code. A failed migration fails the deployment. Deleting the stack runs nothing.
 */
export class SchemaMigration extends Construct {
  readonly migrator: PaymentsFunction;
  readonly trigger: Trigger;

  constructor(
    scope: Construct,
    id: string,
    { database, executeBefore }: { database: DatabaseAccess; executeBefore: readonly Construct[] },
  ) {
    super(scope, id);
    const timeout = Duration.minutes(10);
    const copyMigrations = (folder: string): void =>
      cpSync(join(ROOT, 'migrations'), join(folder, 'migrations'), { recursive: true });
    this.migrator = new PaymentsFunction(this, 'Migrator', {
      entry: 'database/migrate',
      description: 'Applies the migrations that the database does not have yet',
      timeout,
      database,
      code: bundle('database/migrate', copyMigrations),
    });
    this.trigger = new Trigger(this, 'OnDeploy', {
      handler: this.migrator,
      timeout,
      executeBefore: [...executeBefore],
    });
  }
}
