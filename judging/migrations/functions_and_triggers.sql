-- Rules that no constraint can express. A function with SECURITY DEFINER runs as the owner of the database, with a
-- search path of its own, and only the server's role may call it (config/database/roles.py).

-- Judgments are only added and superseded. They are deleted by the two functions below that erase, and with the
-- file that brought them.
CREATE FUNCTION judging_judgment_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF current_setting('quaestor.erase', true) = 'on' THEN
            RETURN OLD;
        END IF;
        IF OLD.origin = 'imported' AND OLD.added_file_id IS NOT NULL
           AND current_setting('quaestor.take_back', true) = OLD.added_file_id::text THEN
            RETURN OLD;
        END IF;
        RAISE EXCEPTION 'judgments are never deleted' USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.superseded_at IS NULL AND NEW.superseded_at IS NOT NULL
       AND (NEW.id, NEW.assignment_id, NEW.unit_id, NEW.criterion_id, NEW.value, NEW.origin, NEW.cause,
            NEW.revision, NEW.created_at)
         = (OLD.id, OLD.assignment_id, OLD.unit_id, OLD.criterion_id, OLD.value, OLD.origin, OLD.cause,
            OLD.revision, OLD.created_at)
       AND NEW.added_file_id IS NOT DISTINCT FROM OLD.added_file_id THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'judgments are never changed, only superseded' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER judgment_append_only BEFORE UPDATE OR DELETE ON judging_judgment
    FOR EACH ROW EXECUTE FUNCTION judging_judgment_append_only();

-- Protocols never change.
CREATE FUNCTION judging_protocol_immutable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'protocols never change; make a new version' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER protocol_immutable BEFORE UPDATE ON judging_protocol
    FOR EACH ROW EXECUTE FUNCTION judging_protocol_immutable();
CREATE TRIGGER criterion_immutable BEFORE UPDATE ON judging_criterion
    FOR EACH ROW EXECUTE FUNCTION judging_protocol_immutable();
CREATE TRIGGER scale_point_immutable BEFORE UPDATE ON judging_scalepoint
    FOR EACH ROW EXECUTE FUNCTION judging_protocol_immutable();

-- A campaign stays judged, imported or simulated, and a judgment stays in its assignment, round and campaign: the
-- function that removes a dry run's judgments could otherwise remove those of annotators.
CREATE FUNCTION judging_origin_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'who judges in a campaign does not change' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER origin_stays BEFORE UPDATE OF origin ON judging_campaign
    FOR EACH ROW WHEN (NEW.origin IS DISTINCT FROM OLD.origin) EXECUTE FUNCTION judging_origin_stays();
CREATE FUNCTION judging_belongs_for_good() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'what judgments belong to does not change' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER campaign_stays BEFORE UPDATE OF campaign_id ON judging_round
    FOR EACH ROW WHEN (NEW.campaign_id IS DISTINCT FROM OLD.campaign_id)
    EXECUTE FUNCTION judging_belongs_for_good();
CREATE TRIGGER round_stays BEFORE UPDATE OF round_id ON judging_assignment
    FOR EACH ROW WHEN (NEW.round_id IS DISTINCT FROM OLD.round_id) EXECUTE FUNCTION judging_belongs_for_good();

-- For the same reason the keys between them are checked at once, not at the end of the transaction.
DO $$
DECLARE each record;
BEGIN
    FOR each IN
        SELECT conrelid::regclass AS of_table, conname FROM pg_constraint
        WHERE contype = 'f' AND (conrelid, confrelid) IN (
            ('judging_judgment'::regclass, 'judging_assignment'::regclass),
            ('judging_assignment'::regclass, 'judging_round'::regclass),
            ('judging_round'::regclass, 'judging_campaign'::regclass)
        )
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I NOT DEFERRABLE', each.of_table, each.conname);
    END LOOP;
END $$;

-- No account judges in a dry run.
CREATE FUNCTION judging_nobody_in_dry_run() RETURNS trigger
LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    IF NEW.user_id IS NOT NULL AND EXISTS (SELECT FROM judging_dryrun WHERE campaign_id = NEW.campaign_id) THEN
        RAISE EXCEPTION 'no person judges in a dry run' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER nobody_in_dry_run BEFORE INSERT OR UPDATE OF user_id, campaign_id ON judging_enrollment
    FOR EACH ROW EXECUTE FUNCTION judging_nobody_in_dry_run();

-- The key for a provider of models is deleted when its job ends.
CREATE FUNCTION judging_forget_judge_key() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM judging_judgekey WHERE job_id = NEW.id;
    RETURN NULL;
END $$;
CREATE TRIGGER job_forgets_judge_key AFTER UPDATE OF state ON judging_job
    FOR EACH ROW WHEN (NEW.state IN ('done', 'failed', 'cancelled'))
    EXECUTE FUNCTION judging_forget_judge_key();

-- Events are only added. The database sets their time, and seals them in a chain of hashes at the commit, so that
-- writers wait for each other no longer than a commit takes. The server's role can add events and seal none.
CREATE FUNCTION judging_event_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the history is only added to' USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER event_append_only BEFORE UPDATE OR DELETE ON judging_event
    FOR EACH ROW EXECUTE FUNCTION judging_event_append_only();
CREATE TRIGGER event_seal_append_only BEFORE UPDATE OR DELETE ON judging_eventseal
    FOR EACH ROW EXECUTE FUNCTION judging_event_append_only();
CREATE FUNCTION judging_event_time() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    NEW.at := clock_timestamp();
    RETURN NEW;
END $$;
CREATE TRIGGER event_time BEFORE INSERT ON judging_event FOR EACH ROW EXECUTE FUNCTION judging_event_time();
CREATE FUNCTION judging_event_seal() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    last_position bigint;
    last_digest text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtext('judging_event'));
    SELECT position, digest INTO last_position, last_digest FROM judging_eventseal ORDER BY position DESC LIMIT 1;
    last_digest := coalesce(last_digest, repeat('0', 64));
    INSERT INTO judging_eventseal (event_id, position, previous, digest) VALUES (
        NEW.id, coalesce(last_position, 0) + 1, last_digest,
        encode(sha256(convert_to(json_build_array(
            last_digest, NEW.id, to_char(NEW.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), NEW.who, NEW.act,
            NEW.campaign, NEW.about, NEW.before, NEW.after
        )::text, 'UTF8')), 'hex')
    );
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER event_seal AFTER INSERT ON judging_event
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION judging_event_seal();

-- Delete the judgments of one annotator, on their demand, and write the event of it.
CREATE FUNCTION judging_erase_judgments(wanted bigint, by_whom bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE erased bigint;
BEGIN
    PERFORM set_config('quaestor.erase', 'on', true);
    DELETE FROM judging_judgmentattribute WHERE judgment_id IN (
        SELECT j.id FROM judging_judgment j JOIN judging_assignment a ON a.id = j.assignment_id
        WHERE a.enrollment_id = wanted
    );
    DELETE FROM judging_judgment USING judging_assignment a
    WHERE a.id = assignment_id AND a.enrollment_id = wanted;
    GET DIAGNOSTICS erased = ROW_COUNT;
    PERFORM set_config('quaestor.erase', 'off', true);
    INSERT INTO judging_event (who, act, campaign, about, before, after)
    SELECT by_whom, 'annotator.erased', c.uuid, left(e.label, 120), erased || ' judgments', ''
    FROM judging_enrollment e JOIN judging_campaign c ON c.id = e.campaign_id WHERE e.id = wanted;
    RETURN erased;
END $$;

-- Delete the judgments of a dry run, and write the event of it.
CREATE FUNCTION judging_remove_dry_run_judgments(wanted bigint, by_whom bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE removed bigint;
BEGIN
    IF NOT EXISTS (SELECT FROM judging_dryrun d JOIN judging_campaign c ON c.id = d.campaign_id
                   WHERE c.id = wanted AND c.origin = 'simulated') THEN
        RAISE EXCEPTION 'only judgments of a dry run are removed' USING ERRCODE = 'restrict_violation';
    END IF;
    PERFORM set_config('quaestor.erase', 'on', true);
    DELETE FROM judging_judgment USING judging_assignment a JOIN judging_round r ON r.id = a.round_id
    WHERE a.id = assignment_id AND r.campaign_id = wanted;
    GET DIAGNOSTICS removed = ROW_COUNT;
    PERFORM set_config('quaestor.erase', 'off', true);
    INSERT INTO judging_event (who, act, campaign, about, before, after)
    SELECT by_whom, 'dry_run.removed', coalesce(draft.uuid, c.uuid), 'dry run ' || d.number,
        removed || ' judgments', ''
    FROM judging_dryrun d JOIN judging_campaign c ON c.id = d.campaign_id
    LEFT JOIN judging_campaign draft ON draft.id = d.draft_id WHERE c.id = wanted;
    RETURN removed;
END $$;

-- Delete the imported judgments of a file that is taken back, and write the event of it.
CREATE FUNCTION judging_take_back_judgments(file bigint, by_whom bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE removed bigint;
BEGIN
    PERFORM set_config('quaestor.take_back', file::text, true);
    DELETE FROM judging_judgmentattribute WHERE judgment_id IN (
        SELECT id FROM judging_judgment WHERE added_file_id = file AND origin = 'imported'
    );
    DELETE FROM judging_judgment WHERE added_file_id = file AND origin = 'imported';
    GET DIAGNOSTICS removed = ROW_COUNT;
    INSERT INTO judging_event (who, act, campaign, about, before, after)
    SELECT by_whom, 'file.taken_back', c.uuid, 'dataset ' || f.dataset_id || ', file ' || f.number,
        removed || ' judgments', ''
    FROM judging_addedfile f LEFT JOIN judging_campaign c ON c.id = f.campaign_id WHERE f.id = file;
    RETURN removed;
END $$;

-- Bring the planner's statistics up to date after much was stored at once, for a role that owns no table.
CREATE FUNCTION judging_analyze(tables regclass[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE each regclass;
BEGIN
    FOREACH each IN ARRAY tables LOOP
        EXECUTE format('ANALYZE %s', each);
    END LOOP;
END $$;

REVOKE ALL ON FUNCTION judging_event_seal(), judging_erase_judgments(bigint, bigint),
    judging_remove_dry_run_judgments(bigint, bigint), judging_take_back_judgments(bigint, bigint),
    judging_analyze(regclass[]) FROM PUBLIC;
